// What callers give: models and modules as bytes, from wherever they are; and errors.
class AttendError extends Error {
  constructor(code, message) {
    super(message);
    this.name = code === 'cancelled' ? 'AbortError' : 'AttendError';
    this.code = code;
  }
}

const in_node = typeof process === 'object' && process.versions && process.versions.node && typeof window === 'undefined';

async function bytes_of(source) {
  if (typeof source === 'function') source = source();
  source = await source;
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  if (typeof Blob !== 'undefined' && source instanceof Blob) return new Uint8Array(await source.arrayBuffer());
  if (typeof Response !== 'undefined' && source instanceof Response) {
    if (!source.ok) throw new AttendError('io', `${source.url}: the server answers ${source.status}`);
    return new Uint8Array(await source.arrayBuffer());
  }
  const place = String(source);
  const read = in_node && !/^(https?|data|blob):/.test(place)
    ? require('fs').promises.readFile(place.startsWith('file:') ? new URL(place) : place)
    : fetch(place);
  return bytes_of(await read.catch(({message}) => { throw new AttendError('io', `${place}: ${message}`); }));
}

const name_of = (source) => {
  if (typeof Blob !== 'undefined' && source instanceof Blob) return source.name || 'model';
  if (typeof source === 'string' || source instanceof URL) return String(source).split(/[?#]/)[0].split('/').pop() || 'model';
  return 'model';
};

// Where the files of attend are, with a slash at the end.
function folder_of(given) {
  if (given !== undefined) return String(given).replace(/\/?$/, '/');
  if (in_node && typeof __dirname !== 'undefined') return __dirname + '/';
  return new URL('.', api.script || location.href).href;
}
