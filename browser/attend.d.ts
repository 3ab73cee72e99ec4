// attend in the browser: models that translate, classify, embed and write, and why they answer as they do.
//
//   const engine = await attend.start();
//   const model = await engine.load('model.safetensors');
//   const {text} = await model.translate('The old dog sleeps.');
//
// Options have the names of the command line, in camelCase or snake_case: beamSize, max_length. Numbers, flags and texts are checked as there.

/** A model or the WebAssembly: a URL (in Node also a path), bytes, a file that was chosen, or the answer of fetch(). */
export type Source = string | URL | ArrayBuffer | ArrayBufferView | Blob | Response | Promise<Response>;

export type OptionValue = string | number | boolean | null | undefined | readonly (string | number)[];

export interface CallOptions {
  /** Ends the call, which then fails with the code "cancelled". */
  signal?: AbortSignal;
  [option: string]: OptionValue | AbortSignal | ((event: TextEvent) => void);
}

export interface GenerateOptions extends CallOptions {
  /** Is told text as it is written. */
  onText?: (event: TextEvent) => void;
}

/** Text that was written for a choice of an item. */
export interface TextEvent {
  item: number;
  choice: number;
  text: string;
}

export interface Written {
  text: string;
  /** The log-probability; of beam search divided by length^length_penalty. */
  score: number;
  /** Whether it ended by itself and was not cut. */
  complete: boolean;
  tokens: string[];
  /** The log-probability of each token; of translations also of their end. */
  tokenScores?: Float32Array;
  /** Pairs of a source word and a target word, counted from 0, with the option `alignment`. */
  alignment?: [number, number][];
}

/** The best one, and all that were asked for with `nBest`. */
export interface Answer extends Written {
  candidates: Written[];
}

export interface Classification {
  /** The most probable label; null if none is probable enough. */
  label: string | null;
  /** Its probability; of a model of numbers, the number. */
  probability: number | null;
  labels: {label: string; probability: number}[];
  /** Of all labels, in the order of Model.labels. */
  outputs: Float32Array;
}

export interface Entity {
  text: string;
  label: string;
  score: number;
  /** Where it is in the text. */
  begin: number;
  end: number;
}

export interface Embedding {
  /** [rows, width]: one row, or with the pooling "none" one for each token. */
  vector: Float32Array;
  rows: number;
  width: number;
  tokens: string[];
  /** Tokens left out of a text that is too long. */
  omitted: number;
}

/** What a head does: `change` is that of the answer's log-probability when the head is off. */
export interface HeadEffect {
  module: string;
  head: number;
  change: number;
}

export interface HeadsOptions {
  /** Is told the effect of each head, its number and how many there are. */
  onHead?: (effect: HeadEffect, head: number, heads: number) => void;
  /** Ends the call after the head that is tried. */
  signal?: AbortSignal;
  [option: string]: OptionValue | AbortSignal | ((effect: HeadEffect, head: number, heads: number) => void);
}

/** What the explorer's routes of the server answer; docs/explorer.md describes them. */
export type Json = any;

export interface Model {
  readonly task: 'translation' | 'lm' | 'classification' | 'tagging' | 'embedding';
  /** The labels of a classifier, or the tags of a tagger. */
  readonly labels: string[];
  /** The languages that a multilingual translator chooses from. */
  readonly languages: string[];

  translate(text: string, options?: CallOptions): Promise<Answer>;
  translate(texts: readonly string[], options?: CallOptions): Promise<Answer[]>;
  generate(prompt: string, options?: GenerateOptions): Promise<Answer>;
  generate(prompts: readonly string[], options?: GenerateOptions): Promise<Answer[]>;
  classify(text: string, options?: CallOptions): Promise<Classification>;
  classify(texts: readonly string[], options?: CallOptions): Promise<Classification[]>;
  tag(text: string, options?: CallOptions): Promise<Entity[]>;
  tag(texts: readonly string[], options?: CallOptions): Promise<Entity[][]>;
  /** Takes every kind of model. */
  embed(text: string, options?: CallOptions): Promise<Embedding>;
  embed(texts: readonly string[], options?: CallOptions): Promise<Embedding[]>;
  /** How likely a translator finds the targets, or a language model the texts. */
  score(text: string, target?: string | null, options?: CallOptions): Promise<{score: number; tokenScores: Float32Array}>;
  score(texts: readonly string[], targets?: readonly string[] | null, options?: CallOptions): Promise<{score: number; tokenScores: Float32Array}[]>;
  /** Documents by how well they answer the query, best first. */
  rank(query: string, documents: readonly string[], options?: CallOptions): Promise<{text: string; score: number; index: number}[]>;

  /** Why the model wrote a token, or chose a label: POST /explain. Options: position, instead, headsOff, ... */
  explain(text: string, options?: CallOptions): Promise<Json>;
  /** The answer and the attention weights of every head: POST /explore. Options: headsOff, attentionBeta, positionsOff, maskOff, translation, prefix, ... */
  explore(text: string, options?: CallOptions): Promise<Json>;
  /**
   * Everything that a Transformer computes for the text, each value as base64 of 32-bit floats: POST /explore/inside. Options: modules, and those of
   * explore().
   */
  inside(text: string, options?: CallOptions): Promise<Json>;
  /** What each head does for the answer: POST /explore/heads. Heads are tried one at a time; other calls may come in between. */
  heads(text: string, options?: HeadsOptions): Promise<HeadEffect[]>;
  /** A translation or continuation drawn at random: POST /explore/draw. */
  draw(text: string, options?: CallOptions): Promise<{text: string; log_probability: number; complete: boolean}>;
  /** A translation, and every step of its search: POST /attend/v1/beam. Options: beamSize, lengthPenalty, prefix, headsOff, ... */
  beam(text: string, options?: CallOptions): Promise<Json>;
  /** The vectors of a word in several texts as points: POST /explore/words. */
  words(word: string, texts: readonly string[], options?: CallOptions): Promise<Json>;

  /** Frees its memory. */
  close(): Promise<void>;
}

export type Progress =
  | {event: 'note'; note: string}
  | {event: 'step'; step: number; epoch: number; loss: number; nll: number; seconds: number; learningRate: number; gradientNorm: number;
     tokens: number; tokensPerSecond: number}
  | {event: 'validation'; step: number; epoch: number; loss: number; nll: number; seconds: number; best: boolean; metrics: Record<string, number>};

export interface TrainOptions {
  /** Stops the training after the step. It then resolves, and is not complete. */
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Is told the best model so far, every few seconds. */
  onModel?: (model: {steps: number; loss: number; bytes: Uint8Array}) => void;
  [option: string]: OptionValue | AbortSignal | ((progress: Progress) => void) | ((model: {steps: number; loss: number; bytes: Uint8Array}) => void);
}

export interface Training {
  steps: number;
  /** Whether it ended by itself. */
  complete: boolean;
  /** Of the best validation; NaN without one. */
  loss: number;
  /** The model file, which load() and the program read; null if it was stopped before there was one. */
  bytes: Uint8Array | null;
}

export interface Attend {
  /** "0.2.0" */
  readonly version: string;
  /** How many threads compute. */
  readonly threads: number;
  /** Why one thread computes although several were asked for; null: all that were asked for compute. */
  readonly whyOneThread: string | null;
  /** A model file of attend; other programs' models are made into one by `attend import`. */
  load(source: Source, options?: {name?: string; signal?: AbortSignal}): Promise<Model>;
  /**
   * Trains a model, like `attend train`: train('translation', {'a.en': text, 'a.de': text}, {srcTrain: 'a.en', tgtTrain: 'a.de', maxSteps: 200}).
   * The options name the files. It has the threads of start(), or one with `threads: 1`.
   */
  train(task: Model['task'], files: Record<string, string | Uint8Array>, options?: TrainOptions): Promise<Training>;
  /** English sentences and their German translations by a small grammar, to try a training with. Options: sentences, validSentences, seed. */
  demo(options?: Record<string, OptionValue>): Promise<{train: {src: string[]; tgt: string[]}; valid: {src: string[]; tgt: string[]}}>;
  /** Ends the worker: calls that wait for it, and all later ones, fail with the code "cancelled". */
  end(): void;
}

/**
 * Fails with a code, such as "data" for a text that the model cannot read; cancelled calls have the name "AbortError". After "memory" the engine goes
 * on; one that has broken fails with "other" in every further call.
 */
export class AttendError extends Error {
  readonly code: 'invalid-argument' | 'config' | 'data' | 'io' | 'cancelled' | 'memory' | 'diverged' | 'other';
}

export interface StartOptions {
  /** attend.wasm; by default the file in `folder`. */
  wasm?: Source;
  /** Whether it works in a thread of its own, so that the page answers meanwhile (true). */
  worker?: boolean;
  /**
   * How many threads compute (1), at most 64; "auto": half of the processors, at most 4. Answers have the same bits with any number. Several need
   * the files attend-threads.*, a worker, and in a browser a page that is isolated; otherwise it is one, and `whyOneThread` says why.
   */
  threads?: number | 'auto';
  /** Where the files of attend are: a URL, in Node also a path. By default the folder of the script. */
  folder?: string | URL;
}

/** Starts attend. */
export function start(options?: StartOptions): Promise<Attend>;

declare const attend: {start: typeof start; AttendError: typeof AttendError};
export default attend;
declare global {
  const attend: {start: typeof start; AttendError: typeof AttendError};
}
