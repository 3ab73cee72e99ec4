// attend.js for import.
import './attend.js';

const attend = globalThis.attend;
attend.script ||= new URL('attend.js', import.meta.url).href;
export const {start, AttendError} = attend;
export default attend;
