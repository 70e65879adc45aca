//! Page layout from the top down: text, rules, links, strokes and page breaks.

use std::rc::Rc;

use printpdf::{
    Actions, BorderArray, Color, Greyscale, Line, LineCapStyle, LineJoinStyle, LinePoint, LinkAnnotation, Op,
    PdfFontHandle, Point, Pt, Rect, Rgb, TextItem, TextMatrix, XObjectTransform,
};

use crate::brand_color::BrandColor;

use super::{
    fonts::{FontWeight, to_printable},
    logo,
    style::{SMALL, STAMP, TextStyle, baseline_y, to_single_line, truncate_to_width, wrap_lines},
};

/// US Letter, in points.
pub(super) const WIDTH: f32 = 612.0;
pub(super) const HEIGHT: f32 = 792.0;
const MARGIN: f32 = 48.0;
pub(super) const LEFT: f32 = MARGIN;
pub(super) const RIGHT: f32 = WIDTH - MARGIN;
pub(super) const MEASURE: f32 = RIGHT - LEFT;
/// End of content, above the footer, in points from the top.
const FLOOR: f32 = 722.0;
const FOOT: f32 = HEIGHT - MARGIN;
const CONTINUED: f32 = 84.0;
const HAIR: f32 = 0.78;
/// Slope of the stamp, along the page diagonal.
const SINE: f32 = 0.79;
const COSINE: f32 = 0.61;

pub(super) type RepeatedHeader = Rc<dyn Fn(&mut PdfSheet)>;

pub(super) struct PdfSheet {
    pages: Vec<Vec<Op>>,
    /// Points from the top of the page to the next element.
    pub(super) y: f32,
    /// Small header of each page after the first, left and right.
    running: (String, String),
    stamp: Option<String>,
    carried: Option<RepeatedHeader>,
}

impl PdfSheet {
    pub(super) fn new(running: (&str, &str), stamp: Option<&str>) -> Self {
        let clean = |text: &str| to_printable(&text.replace('\n', " "));
        let mut sheet = Self {
            pages: vec![Vec::new()],
            y: MARGIN,
            running: (clean(running.0), clean(running.1)),
            stamp: stamp.map(clean),
            carried: None,
        };
        sheet.draw_stamp();
        sheet
    }

    /// While `carried` is set, each new page begins with it.
    pub(super) fn set_repeated_header(&mut self, carried: Option<RepeatedHeader>) {
        self.carried = carried;
    }

    pub(super) fn has_room(&self, height: f32) -> bool {
        self.y + height <= FLOOR
    }

    pub(super) fn ensure_room(&mut self, height: f32) {
        if !self.has_room(height) {
            self.start_page();
        }
    }

    pub(super) fn start_page(&mut self) {
        self.pages.push(Vec::new());
        self.draw_stamp();
        let (left, right) = self.running.clone();
        let bold = TextStyle { weight: FontWeight::Bold, ..SMALL };
        let room = MEASURE / 2.0 - 8.0;
        self.write_text(LEFT, 56.0, bold, &truncate_to_width(bold, &left, room));
        let right = truncate_to_width(SMALL, &right, room);
        self.write_text(RIGHT - SMALL.weight.text_width(&right, SMALL.size), 56.0, SMALL, &right);
        self.draw_rule_at(LEFT, RIGHT, 65.0, 0.5, HAIR);
        self.y = CONTINUED;
        if let Some(carried) = self.carried.clone() {
            carried(self);
        }
    }

    fn draw_stamp(&mut self) {
        let Some(words) = self.stamp.clone() else { return };
        let half = STAMP.weight.text_width(&words, STAMP.size) / 2.0;
        let (x, y) = (WIDTH / 2.0 - COSINE * half + SINE * 37.0, HEIGHT / 2.0 - SINE * half - COSINE * 37.0);
        let matrix = TextMatrix::Raw([COSINE, SINE, -SINE, COSINE, x, y]);
        self.push_text(STAMP, &words, Op::SetTextMatrix { matrix });
    }

    pub(super) fn page_number(&self) -> usize {
        self.pages.len()
    }

    fn current_page(&mut self) -> &mut Vec<Op> {
        if self.pages.is_empty() {
            self.pages.push(Vec::new());
        }
        let last = self.pages.len() - 1;
        &mut self.pages[last]
    }

    /// `draw_text` must already be printable.
    fn write_text(&mut self, x: f32, baseline: f32, style: TextStyle, text: &str) {
        self.push_text(style, text, Op::SetTextCursor { pos: page_point(x, baseline) });
    }

    fn push_text(&mut self, style: TextStyle, text: &str, place: Op) {
        if text.trim().is_empty() {
            return;
        }
        self.current_page().extend([
            Op::SetFillColor { col: grey_color(style.grey) },
            Op::StartTextSection,
            place,
            Op::SetFont { font: PdfFontHandle::External(style.weight.font_id()), size: Pt(style.size) },
            Op::ShowText { items: vec![TextItem::Text(text.to_owned())] },
            Op::EndTextSection,
        ]);
    }

    /// One line whose capitals are centred in a leading that begins at `top`.
    pub(super) fn draw_text(&mut self, x: f32, top: f32, style: TextStyle, text: &str) {
        let clean = to_single_line(text);
        self.write_text(x, baseline_y(top, style), style, &clean);
    }

    pub(super) fn draw_text_right(&mut self, x: f32, top: f32, style: TextStyle, text: &str) {
        let clean = to_single_line(text);
        let width = style.weight.text_width(&clean, style.size);
        self.write_text(x - width, baseline_y(top, style), style, &clean);
    }

    pub(super) fn draw_wrapped_text(&mut self, x: f32, width: f32, style: TextStyle, text: &str) {
        for line in wrap_lines(style, text, width) {
            self.ensure_room(style.leading);
            let top = self.y;
            self.write_text(x, baseline_y(top, style), style, &line);
            self.y += style.leading;
        }
    }

    pub(super) fn draw_rule(&mut self, thickness: f32) {
        let (y, grey) = (self.y, if thickness < 0.75 { HAIR } else { 0.0 });
        self.draw_rule_at(LEFT, RIGHT, y, thickness, grey);
    }

    pub(super) fn draw_brand_rule(&mut self, color: BrandColor) {
        let [red, green, blue] = color.build_palette().light.ink.unit_channels();
        self.draw_line(LEFT, RIGHT, self.y, 2.0, Color::Rgb(Rgb::new(red, green, blue, None)));
    }

    pub(super) fn draw_rule_at(&mut self, from: f32, to: f32, y: f32, thickness: f32, shade: f32) {
        self.draw_line(from, to, y, thickness, grey_color(shade));
    }

    fn draw_line(&mut self, from: f32, to: f32, y: f32, thickness: f32, col: Color) {
        let points = vec![line_point(page_point(from, y)), line_point(page_point(to, y))];
        self.current_page().extend([
            Op::SetOutlineColor { col },
            Op::SetOutlineThickness { pt: Pt(thickness) },
            Op::DrawLine { line: Line { points, is_closed: false } },
        ]);
    }

    pub(super) fn add_link(&mut self, x: f32, top: f32, width: f32, height: f32, address: &str) {
        let mut rect = Rect::from_wh(Pt(round_points(width)), Pt(round_points(height)));
        rect.x = Pt(round_points(x));
        rect.y = Pt(round_points(HEIGHT - top - height));
        let border = Some(BorderArray::Solid([0.0, 0.0, 0.0]));
        let link = LinkAnnotation::new(rect, Actions::Uri(address.to_owned()), border, None, None);
        self.current_page().push(Op::LinkAnnotation { link });
    }

    pub(super) fn draw_logo(&mut self, x: f32, top: f32, width: f32, height: f32) {
        let transform = XObjectTransform {
            translate_x: Some(Pt(round_points(x))),
            translate_y: Some(Pt(round_points(HEIGHT - top - height))),
            scale_x: Some(round_points(width)),
            scale_y: Some(round_points(height)),
            no_auto_scale: true,
            ..XObjectTransform::default()
        };
        self.current_page().push(Op::UseXobject { id: logo::logo_id(), transform });
    }

    pub(super) fn draw_strokes(&mut self, strokes: &[Vec<(f32, f32)>]) {
        self.current_page().extend([
            Op::SaveGraphicsState,
            Op::SetOutlineColor { col: grey_color(0.0) },
            Op::SetOutlineThickness { pt: Pt(1.4) },
            Op::SetLineCapStyle { cap: LineCapStyle::Round },
            Op::SetLineJoinStyle { join: LineJoinStyle::Round },
        ]);
        for stroke in strokes {
            let points = stroke.iter().map(|(x, y)| line_point(page_point(*x, *y))).collect();
            self.current_page().push(Op::DrawLine { line: Line { points, is_closed: false } });
        }
        self.current_page().push(Op::RestoreGraphicsState);
    }

    /// All pages, each with its footer: `words` at the left, "Page 3 of 7" at the right.
    pub(super) fn into_pages(mut self, words: &str, page_of: impl Fn(usize, usize) -> String) -> Vec<Vec<Op>> {
        let count = self.pages.len();
        let words = truncate_to_width(SMALL, &to_single_line(words), MEASURE - 90.0);
        let mut pages = std::mem::take(&mut self.pages);
        for (at, page) in pages.iter_mut().enumerate() {
            self.pages = vec![std::mem::take(page)];
            self.draw_rule_at(LEFT, RIGHT, FOOT - 16.0, 0.5, HAIR);
            self.write_text(LEFT, FOOT, SMALL, &words);
            let number = page_of(at + 1, count);
            self.write_text(RIGHT - SMALL.weight.text_width(&number, SMALL.size), FOOT, SMALL, &number);
            *page = std::mem::take(self.current_page());
        }
        pages
    }
}

/// Hundredths of a point: enough for a printer, and shorter in the file.
fn round_points(points: f32) -> f32 {
    (points * 100.0).round() / 100.0
}

fn page_point(x: f32, y: f32) -> Point {
    Point { x: Pt(round_points(x)), y: Pt(round_points(HEIGHT - y)) }
}

fn line_point(p: Point) -> LinePoint {
    LinePoint { p, bezier: false }
}

fn grey_color(shade: f32) -> Color {
    Color::Greyscale(Greyscale::new(shade, None))
}
