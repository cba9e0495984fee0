// Stands in for @vscode/spdlog, a native module, in the VS Code test host: plain file logging, only what VS Code calls.
'use strict';
const fs = require('node:fs');
const path = require('node:path');

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'critical'];

class Logger {
  constructor(file) {
    this.file = file;
    this.level = 2;
    this.plain = false;
    if (file) fs.mkdirSync(path.dirname(file), { recursive: true });
  }
  append(level, message) {
    if (level < this.level || !this.file) return;
    try {
      fs.appendFileSync(
        this.file,
        this.plain ? message : `${new Date().toISOString()} [${LEVELS[level]}] ${message}\n`,
      );
    } catch {
      // The log folder may be gone while the host shuts down.
    }
  }
  getLevel() {
    return this.level;
  }
  setLevel(level) {
    this.level = level;
  }
  clearFormatters() {
    this.plain = true;
  }
  setPattern() {}
  flush() {}
  flushSync() {}
  drop() {
    this.file = undefined;
  }
}
for (const [level, name] of LEVELS.entries()) {
  Logger.prototype[name] = function (message) {
    this.append(level, message);
  };
}

exports.version = 0;
exports.Logger = Logger;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.shutdown = () => {};
exports.createRotatingLogger = (_name, file) => Promise.resolve(new Logger(file));
exports.createAsyncRotatingLogger = (_name, file) => Promise.resolve(new Logger(file));
