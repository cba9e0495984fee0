// What a picture's own header says: format and size, of PNG, JPEG and WebP.

export interface PictureHeader {
  readonly mime: 'image/png' | 'image/jpeg' | 'image/webp';
  readonly width: number;
  readonly height: number;
}

/** Undefined for other formats and for bytes that end before the size. A picture that is damaged further on is not noticed. */
export function pictureHeader(bytes: Uint8Array): PictureHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = png(view) ?? jpeg(view) ?? webp(view);
  return found && found.width > 0 && found.height > 0 ? found : undefined;
}

const PNG_SIGNATURE = [0x89504e47, 0x0d0a1a0a];

function png(view: DataView): PictureHeader | undefined {
  if (view.byteLength < 24 || PNG_SIGNATURE.some((word, index) => view.getUint32(4 * index) !== word)) return undefined;
  return { mime: 'image/png', width: view.getUint32(16), height: view.getUint32(20) };
}

/** Start of frame: every marker from 0xc0 to 0xcf but those of tables. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function jpeg(view: DataView): PictureHeader | undefined {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 <= view.byteLength;) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    // A filler before a marker, and markers without a body.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else if (isFrame(marker))
      return { mime: 'image/jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    else at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

function webp(view: DataView): PictureHeader | undefined {
  if (view.byteLength < 30 || word(view, 0) !== 'RIFF' || word(view, 8) !== 'WEBP') return undefined;
  const size = (width: number, height: number): PictureHeader => ({ mime: 'image/webp', width, height });
  const three = (at: number): number => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  switch (word(view, 12)) {
    case 'VP8 ':
      return size(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff);
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return size((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    case 'VP8X':
      return size(three(24) + 1, three(27) + 1);
    default:
      return undefined;
  }
}

function word(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((offset) => view.getUint8(at + offset)));
}
