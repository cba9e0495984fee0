// A conversation that carries what was said: the turns as plain data made before the clock starts, and the prompt of each when it is sent.

/** A piece of a prompt and its length; `tokens` is absent without a tokenizer. */
export interface TextPart {
  readonly text: string;
  readonly tokens?: number;
}

/**
 * One turn, as plain data, so that it can cross to a worker. Its prompt is system, history and user, joined by spaces, as
 * inference-perf joins them (apis/user_session.py; reference 3.9): the history is known only when the turns before were answered.
 */
export interface TurnPlan {
  /** Turns with the same number go one after the other, in planned order; different numbers go side by side. */
  readonly conversation: number;
  /** A new conversation begins: nothing that was said before is carried into it. */
  readonly opens: boolean;
  readonly system: TextPart;
  readonly user: TextPart;
  /** Simulated tool time after the answer: the slot stays taken and the next turn waits; no part of this request's latency. */
  readonly holdSeconds: number;
  /** Tokens the prompt may have (context length less the answer and a reserve); older history gives way. */
  readonly budgetTokens?: number;
  /** JSON of the body before and after the prompt's text, quotes included. */
  readonly head: string;
  readonly tail: string;
}

export interface SaidTurn {
  readonly body: string;
  readonly text: string;
}

interface Said {
  readonly text: string;
  readonly escaped: string;
  readonly tokens: number;
}

/** Owns what was said in the conversations of one stage. Used on the sending loop: it joins strings and counts, nothing more. */
export class Conversations {
  private readonly said = new Map<number, Said[]>();
  private readonly escapedSystems = new Map<string, string>();

  /** The body of a turn whose earlier turns have ended. */
  say(turn: TurnPlan): SaidTurn {
    if (turn.opens) this.said.delete(turn.conversation);
    const history = this.said.get(turn.conversation) ?? [];
    this.fit(turn, history);
    const parts = [turn.system.text, ...history.map(({ text }) => text), turn.user.text].filter((part) => part !== '');
    const escaped = [
      this.escapedSystem(turn.system.text),
      ...history.map((entry) => entry.escaped),
      escape(turn.user.text),
    ];
    return {
      text: parts.join(' '),
      body: turn.head + escaped.filter((part) => part !== '').join(' ') + turn.tail,
    };
  }

  /** After a success. A failed turn leaves the conversation as it was before it, as upstream. */
  answered(turn: TurnPlan, answer: string, answerTokens: number): void {
    const text = [turn.user.text, answer].filter((part) => part !== '').join(' ');
    const entry = { text, escaped: escape(text), tokens: (turn.user.tokens ?? 0) + answerTokens };
    const history = this.said.get(turn.conversation);
    if (history) history.push(entry);
    else this.said.set(turn.conversation, [entry]);
  }

  /** Drops the oldest entries for good, as upstream does, until the prompt fits. */
  private fit({ budgetTokens, system, user }: TurnPlan, history: Said[]): void {
    if (budgetTokens === undefined) return;
    let total = (system.tokens ?? 0) + (user.tokens ?? 0) + history.reduce((sum, { tokens }) => sum + tokens, 0);
    while (total > budgetTokens && history.length > 0) total -= history.shift()!.tokens;
  }

  private escapedSystem(text: string): string {
    let escaped = this.escapedSystems.get(text);
    if (escaped === undefined) this.escapedSystems.set(text, (escaped = escape(text)));
    return escaped;
  }
}

/** The text as it stands inside a JSON string. */
function escape(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
