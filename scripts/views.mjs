// `npm run views`: the samples of every view in a browser, in every theme, without VS Code. The webview is built again when its source
// changes (reload the page); samples are made once. `--port N` for another port than 8017.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadTests, root } from './floor.mjs';

const { values } = parseArgs({ options: { port: { type: 'string', default: '8017' } } });
const port = Number(values.port);
if (!Number.isInteger(port) || port < 0 || port > 65535) {
  console.error(`--port must be a number from 0 to 65535, not '${values.port}'`);
  process.exit(2);
}

console.log('views: building ...');
const building = spawn(process.execPath, ['esbuild.mjs', 'webview', '--watch'], {
  cwd: root,
  // It watches for as long as its input is open.
  stdio: ['pipe', 'inherit', 'inherit'],
});
const { indexPage, viewPage } = await loadTests('test/page/all-views.ts', 'views');
const FILES = { '/webview.js': 'text/javascript', '/style.css': 'text/css' };

const server = http.createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const send = (type, body) => response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(body);
  try {
    if (pathname === '/') return send('text/html', indexPage());
    if (pathname in FILES) return send(FILES[pathname], readFileSync(path.join(root, 'dist', pathname.slice(1))));
    const name = pathname.startsWith('/view/') ? pathname.slice('/view/'.length) : '';
    const page = await viewPage(name, searchParams.get('theme'), `http://${request.headers.host}`);
    return page === undefined ? response.writeHead(404).end('There is no such view') : send('text/html', page);
  } catch (error) {
    console.error(`error: ${error.message}`);
    return response.writeHead(500).end(error.message);
  }
});
server.on('error', (error) => {
  console.error(`error: ${error.message}`);
  building.kill();
  process.exitCode = 1;
});
server.listen(port, '127.0.0.1', () => {
  console.log(`Views: http://127.0.0.1:${server.address().port}/   (Ctrl+C ends it)`);
});
function end() {
  building.kill();
  process.exit(0);
}
process.on('SIGINT', end);
process.on('SIGTERM', end);
