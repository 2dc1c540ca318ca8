//! How large a picture is to be, and how large it came out; labels on it. Pure but for the function that
//! draws, which runs in our own world of the page and puts nothing into it.

use pillion_wire::verb::Rect;
use serde_json::{Value, json};

/// Part of a rectangle that is inside another.
pub(super) fn intersect(a: Rect, b: Rect) -> Option<Rect> {
    let (x, y) = (a.x.max(b.x), a.y.max(b.y));
    let width = (a.x + a.width).min(b.x + b.width) - x;
    let height = (a.y + a.height).min(b.y + b.height) - y;
    (width > 0.0 && height > 0.0).then_some(Rect { x, y, width, height })
}

/// The smallest rectangle on whole px around it.
pub(super) fn whole_pixels(of: Rect) -> Rect {
    let (x, y) = (of.x.floor(), of.y.floor());
    Rect { x, y, width: (of.x + of.width).ceil() - x, height: (of.y + of.height).ceil() - y }
}

/// Factor that makes one CSS px at most `most` pixels and the longest side at most `max_side`.
pub(super) fn scale_for(area: Rect, ratio: f64, max_side: u32, most: f64) -> f64 {
    most.min(f64::from(max_side) / area.width.max(area.height)) / ratio
}

/// Pixels of a PNG, JPEG or WebP.
pub(super) fn pixels_of(bytes: &[u8]) -> Option<(u32, u32)> {
    let big = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let little = |at: usize| Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    if bytes.starts_with(b"\x89PNG") {
        return Some((big(16)?, big(20)?));
    }
    if bytes.starts_with(b"\xff\xd8") {
        return jpeg(bytes);
    }
    if !bytes.starts_with(b"RIFF") || bytes.get(8..12)? != b"WEBP" {
        return None;
    }
    match bytes.get(12..16)? {
        b"VP8 " => Some((u32::from(little(26)? & 0x3fff), u32::from(little(28)? & 0x3fff))),
        b"VP8L" => {
            let bits = u32::from_le_bytes(bytes.get(21..25)?.try_into().ok()?);
            Some(((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1))
        }
        b"VP8X" => {
            let three =
                |at: usize| Some(u32::from(little(at)?) | (u32::from(*bytes.get(at + 2)?) << 16));
            Some((three(24)? + 1, three(27)? + 1))
        }
        _ => None,
    }
}

fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let two = |at: usize| Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let mut at = 2;
    loop {
        let marker = *bytes.get(at + 1)?;
        if (0xc0..=0xcf).contains(&marker) && !matches!(marker, 0xc4 | 0xc8 | 0xcc) {
            return Some((u32::from(two(at + 7)?), u32::from(two(at + 5)?)));
        }
        at += 2 + usize::from(two(at + 2)?);
    }
}

const FONT_PX: f64 = 12.0;
const PAD_PX: f64 = 2.0;

/// Where the picture is in the viewport.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shown {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) css_per_pixel: f64,
    pub(super) size: (u32, u32),
}

/// Where a label is drawn, as [`DRAW`] takes it; nothing when its element is not in the picture.
pub(super) fn placed(text: &str, rect: Rect, shown: Shown) -> Option<Value> {
    let scale = |css: f64| (css / shown.css_per_pixel).round();
    let (x, y) = (scale(rect.x - shown.left), scale(rect.y - shown.top));
    let (width, height) = (scale(rect.width), scale(rect.height));
    let is_in = x < f64::from(shown.size.0)
        && y < f64::from(shown.size.1)
        && x + width > 0.0
        && y + height > 0.0;
    let tall = FONT_PX + 2.0 * PAD_PX;
    // Above its element where there is room, so that it hides as little as possible of it.
    let tag = if y >= tall { y - tall } else { y.max(0.0) };
    is_in.then(|| {
        json!({"text": text, "x": x, "y": y, "width": width, "height": height,
            "tagX": x.max(0.0), "tagY": tag})
    })
}

/// Draws labels on a picture, off screen.
pub(super) const DRAW: &str = r##"async function (data, type, quality, labels) {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type }));
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext("2d");
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  context.font = "bold 12px sans-serif";
  context.textBaseline = "top";
  for (const { text, x, y, width, height, tagX, tagY } of labels) {
    context.strokeStyle = "#d6004b";
    context.lineWidth = 1;
    context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
    context.fillStyle = "#d6004b";
    context.fillRect(tagX, tagY, Math.ceil(context.measureText(text).width) + 4, 16);
    context.fillStyle = "#ffffff";
    context.fillText(text, tagX + 2, tagY + 2);
  }
  const painted = await canvas.convertToBlob({ type, ...(quality && { quality: quality / 100 }) });
  const all = new Uint8Array(await painted.arrayBuffer());
  let out = "";
  for (let at = 0; at < all.length; at += 32768) {
    out += String.fromCharCode(...all.subarray(at, at + 32768));
  }
  return btoa(out);
}"##;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_from_the_heads() {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        png.extend([0, 0, 1, 2, 0, 0, 0, 3]);
        assert_eq!(pixels_of(&png), Some((258, 3)));
        let jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1, 0xff, 0xc0, 0, 11, 8, 0, 5, 0, 9];
        assert_eq!(pixels_of(&jpeg), Some((9, 5)));
        assert_eq!(pixels_of(b"GIF89a"), None);
    }

    #[test]
    fn a_label_is_above_its_element_where_there_is_room() {
        let shown = Shown { left: 10.0, top: 0.0, css_per_pixel: 2.0, size: (100, 100) };
        let rect = |x, y| Rect { x, y, width: 20.0, height: 10.0 };
        assert_eq!(placed("e1", rect(30.0, 80.0), shown).unwrap()["tagY"], 24.0);
        assert_eq!(placed("e1", rect(30.0, 4.0), shown).unwrap()["tagY"], 2.0);
        assert!(placed("e1", rect(300.0, 4.0), shown).is_none());
    }

    #[test]
    fn parts_are_cut_to_what_there_is() {
        let page = Rect { x: 0.0, y: 0.0, width: 100.0, height: 50.0 };
        let part = whole_pixels(Rect { x: 90.5, y: 10.2, width: 20.0, height: 1.0 });
        assert_eq!(part, Rect { x: 90.0, y: 10.0, width: 21.0, height: 2.0 });
        assert_eq!(intersect(part, page).unwrap().width, 10.0);
        assert!(intersect(Rect { x: 200.0, ..part }, page).is_none());
        assert_eq!(scale_for(page, 2.0, 50, 1.0), 0.25);
    }
}
