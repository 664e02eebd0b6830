import { event, result, rpcError, sized, stream } from './answers.js'
import { lastTold, told, type Fault } from './fault.js'

const html = '<html>No</html>'
const json = 'application/json'
const bearer = 'www-authenticate: Bearer\r\n'

export const statusFaults: readonly Fault[] = [
  told('an error at 200', 'rpc -32602 of 200', ({ id }) => sized(rpcError(id))),
  told('an error at 404 (CL-6)', 'rpc -32601 of 404', ({ id }) => sized(rpcError(id, -32601), '404 No')),
  told('an error at 500', 'rpc -32603 of 500', ({ id }) => sized(rpcError(id, -32603), '500 No')),
  told('an error without id', 'rpc -32602 of 400', () => sized(rpcError(undefined), '400 No')),
  told('an error with an id of null', 'rpc -32602 of 400', () => sized(rpcError(null), '400 No')),
  told('an error for another id at 404', 'unknown: http 404', () => sized(rpcError('x'), '404 No')),
  told('a result at 201 (G-65)', 'unknown: http 201', ({ id }) => sized(result(id), '201 Created')),
  told('a result at 500', 'unknown: http 500', ({ id }) => sized(result(id), '500 No')),
  told('202', 'unknown: http 202', () => sized('', '202 Accepted')),
  told('204', 'unknown: http 204', () => 'HTTP/1.1 204 No Content\r\n\r\n'),
  told('400 in HTML', 'http 400', () => sized(html, '400 No', 'text/html')),
  told('400 in broken JSON', 'http 400', () => sized('{', '400 No')),
  lastTold('400 cut in its body', 'http 400', ({ id }) => sized(rpcError(id), '400 No').slice(0, -3)),
  told('400 with a challenge (G-65)', 'http 400', ({ id }) => sized(rpcError(id), '400 No', json, bearer)),
  told('401 (G-102)', 'http 401', ({ id }) => sized(rpcError(id), '401 No', json, bearer)),
  told(
    '401 whose body never ends (B120)',
    'http 401',
    () => 'HTTP/1.1 401 No\r\ncontent-length: 999\r\n\r\nx',
  ),
  told('403', 'http 403', () => sized(html, '403 No', 'text/html')),
  told('404 in HTML (B152)', 'unknown: http 404', () => sized(html, '404 No', 'text/html')),
  told('405', 'unknown: http 405', () => sized('', '405 No', 'text/html', 'allow: GET\r\n')),
  told('413 (HTTP-20)', 'unknown: http 413', () => sized('', '413 No')),
  told('429', 'unknown: http 429', () => sized('{}', '429 No')),
  told('502 in HTML', 'unknown: http 502', () => sized(html, '502 No', 'text/html')),
  told('503 as a stream', 'unknown: http 503', ({ id }) =>
    stream(event(result(id))).replace('200 OK', '503 No'),
  ),
  told('307 (B111)', 'unknown: http 307', () => sized('', '307 There', 'text/html', 'location: /mcp\r\n')),
  told('302 to another origin (B111)', 'unknown: http 302', () =>
    sized('', '302 There', 'text/html', 'location: http://127.0.0.1:1/\r\n'),
  ),
  told('200 in HTML (B119)', 'unknown: malformed', () => sized(html, '200 OK', 'text/html')),
  told('200 without a type', 'unknown: malformed', () => 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
  told('200 in JSON lines', 'unknown: malformed', ({ id }) =>
    sized(result(id), '200 OK', 'application/jsonl'),
  ),
  told('JSON with parameters', 'result', ({ id }) =>
    sized(result(id), '200 OK', 'Application/JSON; charset=utf-8'),
  ),
  told('a session id (CL-5)', 'result', ({ id }) =>
    sized(result(id), '200 OK', json, 'mcp-session-id: s\r\n'),
  ),
]
