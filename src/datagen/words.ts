// Short common English words, most of them one token in most vocabularies: prompts for when no tokenizer is at hand.

export const WORDS: readonly string[] = `
able about above across act add after again age ago air all also always among and animal answer any apple area
arm around art ask away baby back bad ball bank base bear beat bed before begin behind bell best better big
bird black blue board boat body bone book both bottom box boy branch bread break bright bring brother brown
build burn bus busy but buy call camp car card care carry case catch center chair chance change check child
choose circle city class clean clear climb clock close cloud coat cold color come common cook cool copy corn
cost could count country course cover cow cross cry cup cut dance dark day deal deep desk dinner doctor dog
door down draw dream dress drink drive drop dry dust each ear early earth east easy eat edge egg else end
enough even ever every exact eye face fact fair fall family far farm fast father feel few field fight fill
find fine finger fire first fish fit five flat floor flow flower fly follow food foot force forest form four
free fresh friend from front fruit full fun game garden gas gate get girl give glad glass go gold good grand
grass gray great green ground group grow guess guide hair half hall hand happy hard hat have head hear heart
heat heavy help here high hill hold hole home hope horse hot hour house how hundred hunt hurry ice idea inch
iron island job join jump just keep key kind king kitchen know lake land large last late laugh law lay lead
leaf learn leave left leg less letter level lie life lift light like line lip list listen little live local
long look lose lot loud love low lunch machine main make man many map mark market matter may mean measure meat
meet member metal middle mile milk mind minute miss modern money month moon more morning most mother mountain
mouth move much music name nation near neck need never new next night nine noise north nose note nothing
notice now number ocean off offer office often oil old once one only open order other out over own page paint
pair paper parent park part party pass past path pay people perhaps pick picture piece place plain plan plant
play please point poor power press price pull push put quick quiet quite race rain raise reach read ready real
reason red rest rich ride right ring rise river road rock roll roof room root round rule run safe sail salt
same sand save say school sea season seat second see seed seem sell send sentence serve set seven shade shape
share sharp sheep shine ship shoe shop short should shoulder show shut side sign silver simple since sing
sister sit six size skin sky sleep slow small smile smoke snow soft soil some song soon sort sound south space
speak speed spell spend spring square stand star start state stay steam steel step still stone stop store
storm story street strong student study such sudden sugar summer sun supply sure surface swim table tail take
talk tall teach team tell ten test than thank that their then there thick thin thing think third this though
thought three through throw time tiny tire today together tone too tool top total touch toward town trade
train travel tree trip trouble true try turn twenty two under unit until up use valley very view village visit
voice wait walk wall want warm wash watch water wave way wear weather week weight well west wheel when where
which while white who whole why wide wife wild will wind window winter wire wish with woman wonder wood word
work world write wrong yard year yellow yes yet young
`
  .trim()
  .split(/\s+/);
