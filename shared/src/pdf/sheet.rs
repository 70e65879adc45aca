//! A sheet of paper after another, and the pen on it: text, rules, links, strokes, from the top down.

use std::rc::Rc;

use printpdf::{
    Actions, BorderArray, Color, Greyscale, Line, LineCapStyle, LineJoinStyle, LinePoint, LinkAnnotation, Op,
    PdfFontHandle, Point, Pt, Rect, TextItem, TextMatrix, XObjectTransform,
};

use super::{
    fonts::{Weight, printable},
    logo,
};

/// US Letter, in points.
pub(super) const WIDTH: f32 = 612.0;
pub(super) const HEIGHT: f32 = 792.0;
const MARGIN: f32 = 48.0;
pub(super) const LEFT: f32 = MARGIN;
pub(super) const RIGHT: f32 = WIDTH - MARGIN;
/// Between the margins.
pub(super) const MEASURE: f32 = RIGHT - LEFT;
/// Where content ends, above the foot of the page.
const FLOOR: f32 = 722.0;
const FOOT: f32 = HEIGHT - MARGIN;
/// Where content begins on the pages after the first.
const CONTINUED: f32 = 84.0;
/// How high a capital stands, of the size.
const CAPITAL: f32 = 0.7275;
/// The grey of rules between rows.
const HAIR: f32 = 0.78;

/// How a text looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub(super) size: f32,
    pub(super) weight: Weight,
    /// 0 is black.
    pub(super) grey: f32,
    /// From line to line.
    pub(super) leading: f32,
}

const fn style(size: f32, weight: Weight, grey: f32, leading: f32) -> Style {
    Style { size, weight, grey, leading }
}

pub(super) const TITLE: Style = style(23.0, Weight::Bold, 0.0, 28.0);
pub(super) const NAME: Style = style(13.0, Weight::Bold, 0.0, 17.0);
pub(super) const HEADING: Style = style(10.5, Weight::Bold, 0.0, 15.0);
pub(super) const BODY: Style = style(9.5, Weight::Regular, 0.0, 13.5);
pub(super) const STRONG: Style = style(9.5, Weight::Bold, 0.0, 13.5);
pub(super) const SMALL: Style = style(8.5, Weight::Regular, 0.32, 12.0);
pub(super) const LABEL: Style = style(7.5, Weight::Bold, 0.32, 11.0);
const STAMP: Style = style(110.0, Weight::Bold, 0.93, 110.0);
/// Of the slope of the stamp, so that the page's corners are met.
const SINE: f32 = 0.79;
const COSINE: f32 = 0.61;

/// What is drawn again at the top of each page while a table goes on.
pub(super) type Carried = Rc<dyn Fn(&mut Sheet)>;

pub(super) struct Sheet {
    pages: Vec<Vec<Op>>,
    /// From the top of the page to where the next thing begins.
    pub(super) y: f32,
    /// Stands small at the top of each page after the first, left and right.
    running: (String, String),
    /// Lies large and pale behind everything: "DRAFT".
    stamp: Option<String>,
    carried: Option<Carried>,
}

impl Sheet {
    pub(super) fn new(running: (&str, &str), stamp: Option<&str>) -> Self {
        let clean = |text: &str| printable(&text.replace('\n', " "));
        let mut sheet = Self {
            pages: vec![Vec::new()],
            y: MARGIN,
            running: (clean(running.0), clean(running.1)),
            stamp: stamp.map(clean),
            carried: None,
        };
        sheet.stamp_it();
        sheet
    }

    /// While `carried` is set, each new page begins with it.
    pub(super) fn carry(&mut self, carried: Option<Carried>) {
        self.carried = carried;
    }

    /// Whether so much is left on this page.
    pub(super) fn fits(&self, height: f32) -> bool {
        self.y + height <= FLOOR
    }

    /// Begins a new page when less than `height` is left on this one.
    pub(super) fn need(&mut self, height: f32) {
        if !self.fits(height) {
            self.turn();
        }
    }

    /// Begins a new page.
    pub(super) fn turn(&mut self) {
        self.pages.push(Vec::new());
        self.stamp_it();
        let (left, right) = self.running.clone();
        let bold = Style { weight: Weight::Bold, ..SMALL };
        let room = MEASURE / 2.0 - 8.0;
        self.put(LEFT, 56.0, bold, &fitted(bold, &left, room));
        let right = fitted(SMALL, &right, room);
        self.put(RIGHT - SMALL.weight.width(&right, SMALL.size), 56.0, SMALL, &right);
        self.rule_at(LEFT, RIGHT, 65.0, 0.5, HAIR);
        self.y = CONTINUED;
        if let Some(carried) = self.carried.clone() {
            carried(self);
        }
    }

    fn stamp_it(&mut self) {
        let Some(words) = self.stamp.clone() else { return };
        let half = STAMP.weight.width(&words, STAMP.size) / 2.0;
        let (x, y) = (WIDTH / 2.0 - COSINE * half + SINE * 37.0, HEIGHT / 2.0 - SINE * half - COSINE * 37.0);
        let matrix = TextMatrix::Raw([COSINE, SINE, -SINE, COSINE, x, y]);
        self.show(STAMP, &words, Op::SetTextMatrix { matrix });
    }

    /// On which page the pen is, from one.
    pub(super) fn count(&self) -> usize {
        self.pages.len()
    }

    fn page(&mut self) -> &mut Vec<Op> {
        if self.pages.is_empty() {
            self.pages.push(Vec::new());
        }
        let last = self.pages.len() - 1;
        &mut self.pages[last]
    }

    /// Writes what is already printable.
    fn put(&mut self, x: f32, baseline: f32, style: Style, text: &str) {
        self.show(style, text, Op::SetTextCursor { pos: point(x, baseline) });
    }

    fn show(&mut self, style: Style, text: &str, place: Op) {
        if text.trim().is_empty() {
            return;
        }
        self.page().extend([
            Op::SetFillColor { col: grey(style.grey) },
            Op::StartTextSection,
            place,
            Op::SetFont { font: PdfFontHandle::External(style.weight.id()), size: Pt(style.size) },
            Op::ShowText { items: vec![TextItem::Text(text.to_owned())] },
            Op::EndTextSection,
        ]);
    }

    /// One line of text whose capitals stand in the middle of a leading that begins at `top`.
    pub(super) fn text(&mut self, x: f32, top: f32, style: Style, text: &str) {
        let clean = one_line(text);
        self.put(x, baseline(top, style), style, &clean);
    }

    /// The same, ending at `x`.
    pub(super) fn right(&mut self, x: f32, top: f32, style: Style, text: &str) {
        let clean = one_line(text);
        let width = style.weight.width(&clean, style.size);
        self.put(x - width, baseline(top, style), style, &clean);
    }

    /// Lines under each other from where the pen stands, over as many pages as it takes.
    pub(super) fn flow(&mut self, x: f32, width: f32, style: Style, text: &str) {
        for line in wrapped(style, text, width) {
            self.need(style.leading);
            let top = self.y;
            self.put(x, baseline(top, style), style, &line);
            self.y += style.leading;
        }
    }

    /// A rule across the page where the pen stands.
    pub(super) fn rule(&mut self, thickness: f32) {
        let (y, grey) = (self.y, if thickness < 0.75 { HAIR } else { 0.0 });
        self.rule_at(LEFT, RIGHT, y, thickness, grey);
    }

    pub(super) fn rule_at(&mut self, from: f32, to: f32, y: f32, thickness: f32, shade: f32) {
        let points = vec![corner(point(from, y)), corner(point(to, y))];
        self.page().extend([
            Op::SetOutlineColor { col: grey(shade) },
            Op::SetOutlineThickness { pt: Pt(thickness) },
            Op::DrawLine { line: Line { points, is_closed: false } },
        ]);
    }

    /// Makes a part of the page open an address.
    pub(super) fn link(&mut self, x: f32, top: f32, width: f32, height: f32, address: &str) {
        let mut rect = Rect::from_wh(Pt(rounded(width)), Pt(rounded(height)));
        rect.x = Pt(rounded(x));
        rect.y = Pt(rounded(HEIGHT - top - height));
        let border = Some(BorderArray::Solid([0.0, 0.0, 0.0]));
        let link = LinkAnnotation::new(rect, Actions::Uri(address.to_owned()), border, None, None);
        self.page().push(Op::LinkAnnotation { link });
    }

    /// The logo, its left upper corner where told.
    pub(super) fn logo(&mut self, x: f32, top: f32, width: f32, height: f32) {
        let transform = XObjectTransform {
            translate_x: Some(Pt(rounded(x))),
            translate_y: Some(Pt(rounded(HEIGHT - top - height))),
            scale_x: Some(rounded(width)),
            scale_y: Some(rounded(height)),
            no_auto_scale: true,
            ..XObjectTransform::default()
        };
        self.page().push(Op::UseXobject { id: logo::id(), transform });
    }

    /// Pen strokes, each a run of points on the page.
    pub(super) fn strokes(&mut self, strokes: &[Vec<(f32, f32)>]) {
        self.page().extend([
            Op::SaveGraphicsState,
            Op::SetOutlineColor { col: grey(0.0) },
            Op::SetOutlineThickness { pt: Pt(1.4) },
            Op::SetLineCapStyle { cap: LineCapStyle::Round },
            Op::SetLineJoinStyle { join: LineJoinStyle::Round },
        ]);
        for stroke in strokes {
            let points = stroke.iter().map(|(x, y)| corner(point(*x, *y))).collect();
            self.page().push(Op::DrawLine { line: Line { points, is_closed: false } });
        }
        self.page().push(Op::RestoreGraphicsState);
    }

    /// All pages, each with its foot: a line of words at the left, "Page 3 of 7" at the right.
    pub(super) fn finish(mut self, words: &str, page_of: impl Fn(usize, usize) -> String) -> Vec<Vec<Op>> {
        let count = self.pages.len();
        let words = fitted(SMALL, &one_line(words), MEASURE - 90.0);
        let mut pages = std::mem::take(&mut self.pages);
        for (at, page) in pages.iter_mut().enumerate() {
            self.pages = vec![std::mem::take(page)];
            self.rule_at(LEFT, RIGHT, FOOT - 16.0, 0.5, HAIR);
            self.put(LEFT, FOOT, SMALL, &words);
            let number = page_of(at + 1, count);
            self.put(RIGHT - SMALL.weight.width(&number, SMALL.size), FOOT, SMALL, &number);
            *page = std::mem::take(self.page());
        }
        pages
    }
}

/// To a hundredth of a point: what a printer can do, and shorter in the file.
fn rounded(points: f32) -> f32 {
    (points * 100.0).round() / 100.0
}

/// A place measured from the top.
fn point(x: f32, y: f32) -> Point {
    Point { x: Pt(rounded(x)), y: Pt(rounded(HEIGHT - y)) }
}

fn corner(p: Point) -> LinePoint {
    LinePoint { p, bezier: false }
}

fn grey(shade: f32) -> Color {
    Color::Greyscale(Greyscale::new(shade, None))
}

fn baseline(top: f32, style: Style) -> f32 {
    top + f32::midpoint(style.leading, style.size * CAPITAL)
}

fn one_line(text: &str) -> String {
    printable(&text.replace('\n', " "))
}

/// How wide a text will be.
pub(super) fn width(style: Style, text: &str) -> f32 {
    style.weight.width(&one_line(text), style.size)
}

/// The text, or so much of its beginning that it fits with an ellipsis. Takes what is already printable.
pub(super) fn fitted(style: Style, text: &str, room: f32) -> String {
    if style.weight.width(text, style.size) <= room {
        return text.to_owned();
    }
    let mut kept = text.to_owned();
    while !kept.is_empty() && style.weight.width(&format!("{kept}…"), style.size) > room {
        kept.pop();
    }
    format!("{}…", kept.trim_end())
}

/// The text in lines that fit, broken at blanks, and within a word where it alone is too long. Its own line breaks stay;
/// an empty line at the end does not.
pub(super) fn wrapped(style: Style, text: &str, room: f32) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in printable(text).trim_end().split('\n') {
        let mut line = String::new();
        for word in paragraph.split(' ').filter(|word| !word.is_empty()) {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if style.weight.width(&longer, style.size) <= room {
                line = longer;
                continue;
            }
            if !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            line = last_of(style, word, room, &mut lines);
        }
        lines.push(line);
    }
    lines
}

/// Pushes the full lines of a word that is wider than a line; returns its rest.
fn last_of(style: Style, word: &str, room: f32, lines: &mut Vec<String>) -> String {
    let mut line = String::new();
    let mut width = 0.0;
    for letter in word.chars() {
        let wide = style.weight.width(letter.encode_utf8(&mut [0; 4]), style.size);
        if width + wide > room && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
            width = 0.0;
        }
        line.push(letter);
        width += wide;
    }
    line
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_are_broken_at_blanks_and_long_words_where_they_must() {
        let lines = wrapped(BODY, "one two three\n\nfour", width(BODY, "one two"));
        assert_eq!(lines, ["one two", "three", "", "four"]);
        let lines = wrapped(BODY, "aaaaaaaaaa b", width(BODY, "aaaa"));
        assert_eq!(lines, ["aaaa", "aaaa", "aa b"]);
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_its_room_and_no_letter_is_lost(text in "[ a-zA-Z0-9łñ.\n]{0,200}", room in 40.0_f32..300.0) {
            let lines = wrapped(BODY, &text, room);
            for line in &lines {
                prop_assert!(width(BODY, line) <= room + 0.01, "{line:?}");
            }
            let letters = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
        }

        #[test]
        fn what_is_cut_short_fits_and_says_so(text in "[a-z ]{1,80}", room in 20.0_f32..200.0) {
            let cut = fitted(SMALL, &text, room);
            prop_assert!(width(SMALL, &cut) <= room);
            prop_assert!(cut == text || cut.ends_with('…'));
        }
    }
}
