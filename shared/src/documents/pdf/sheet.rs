//! A sheet of paper after another, and the pen on it: text, rules, links, strokes, from the top down.

use std::rc::Rc;

use printpdf::{
    Actions, BorderArray, Color, Greyscale, Line, LineCapStyle, LineJoinStyle, LinePoint, LinkAnnotation, Op,
    PdfFontHandle, Point, Pt, Rect, TextItem, TextMatrix, XObjectTransform,
};

use super::{
    fonts::{Weight, printable},
    logo,
    style::{SMALL, STAMP, Style, baseline, fitted, one_line, wrapped},
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
/// The grey of rules between rows.
const HAIR: f32 = 0.78;
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
