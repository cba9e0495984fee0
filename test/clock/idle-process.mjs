// Sleeps, and notes how late it is woken: the delay of an event loop that has nothing else to do.
const EVERY_MS = 10;
const late = [];
let due = performance.now() + EVERY_MS;

function woken() {
  late.push(performance.now() - due);
  due = performance.now() + EVERY_MS;
  setTimeout(woken, EVERY_MS);
}

setTimeout(woken, EVERY_MS);
process.on('message', () => {
  late.sort((a, b) => a - b);
  const p95 = late[Math.floor(0.95 * late.length)] ?? 0;
  process.send(Math.max(0, p95), () => process.exit());
});
process.on('disconnect', () => process.exit());
process.send('ready');
