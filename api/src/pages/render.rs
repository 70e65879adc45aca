//! Rendering of customer pages: templates, stylesheet, script and headers.

use std::sync::LazyLock;

use axum::{
    extract::Path,
    http::{HeaderName, StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use minijinja::{Environment, Value};
use sha2::{Digest, Sha256};
use shared::documents::brand_color::{BrandColor, BrandPalette, BrandTheme};

use crate::{csp, error::ApiError};

const FOR_GOOD: &str = "public, max-age=31536000, immutable";
pub(super) const STYLE: &str = include_str!("public.css");
pub(super) const SCRIPT: &str = include_str!("public.js");

/// Address with a content hash.
pub(super) fn asset_path(name: &str, text: &str, ending: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    let short = hash.iter().take(6).fold(0_u64, |short, byte| (short << 8) | u64::from(*byte));
    format!("/p-assets/{name}-{short:012x}.{ending}")
}

pub(super) static STYLE_PATH: LazyLock<String> = LazyLock::new(|| asset_path("page", STYLE, "css"));
pub(super) static SCRIPT_PATH: LazyLock<String> = LazyLock::new(|| asset_path("page", SCRIPT, "js"));

/// Rules in the colors of a business. The page's policy allows no inline style.
fn brand_style(palette: BrandPalette) -> String {
    let rules = |BrandTheme { fill, on_fill, ink }: BrandTheme| {
        format!(":root {{ --main: {ink}; --fill: {fill}; --on-fill: {on_fill}; }}")
    };
    let (light, dark) = (rules(palette.light), rules(palette.dark));
    format!("{light}\n@media (prefers-color-scheme: dark) {{ {dark} }}\n")
}

/// Stylesheet of a color: `/p-assets/look-1d4ed8-<hash>.css`.
pub(super) fn brand_style_path(color: BrandColor) -> String {
    let name = format!("look-{}", color.to_string().trim_start_matches('#'));
    asset_path(&name, &brand_style(color.build_palette()), "css")
}

/// Only for the address that [`brand_style_path`] gives.
pub(super) fn find_brand_style(asked: &str) -> Option<String> {
    let (digits, _) = asked.strip_prefix("/p-assets/look-")?.split_once('-')?;
    let color = BrandColor::parse_hex(&format!("#{digits}"))?;
    (brand_style_path(color) == asked).then(|| brand_style(color.build_palette()))
}

/// Compiled once; a test checks that the templates are valid.
pub(super) static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut env = Environment::new();
    for (name, text) in [
        ("frame.html", include_str!("frame.html")),
        ("head.html", include_str!("head.html")),
        ("lines.html", include_str!("lines.html")),
        ("ask.html", include_str!("ask.html")),
        ("estimate.html", include_str!("estimate.html")),
        ("invoice.html", include_str!("invoice.html")),
        ("visit.html", include_str!("visit.html")),
        ("booking.html", include_str!("booking.html")),
        ("held_booking.html", include_str!("held_booking.html")),
        ("free_times.html", include_str!("free_times.html")),
        ("times.html", include_str!("times.html")),
        ("note.html", include_str!("note.html")),
        ("card_payment.html", include_str!("card_payment.html")),
        ("review.html", include_str!("review.html")),
        ("stop.html", include_str!("stop.html")),
        ("reference.html", include_str!("reference.html")),
    ] {
        if let Err(e) = env.add_template(name, text) {
            tracing::error!(error = %e, name, "a page is broken");
        }
    }
    env
});

pub(super) fn render_page(name: &str, status: StatusCode, context: Value) -> Response {
    let drawn = TEMPLATES.get_template(name).and_then(|template| template.render(context));
    let html = match drawn {
        Ok(html) => html,
        Err(e) => return ApiError::internal(format!("page {name}: {e:#}")).into_response(),
    };
    let headers = [
        (header::CONTENT_SECURITY_POLICY, csp::PAGE),
        // Not `no-referrer`: a form without scripts would then send no origin and be refused as cross-site.
        (header::REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("x-robots-tag"), "noindex, nofollow"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (status, headers, Html(html)).into_response()
}

pub(super) async fn serve_asset(Path(file): Path<String>) -> Response {
    let asked = format!("/p-assets/{file}");
    let (kind, text) = match asked {
        _ if asked == *STYLE_PATH => ("text/css; charset=utf-8", STYLE.to_owned()),
        _ if asked == *SCRIPT_PATH => ("text/javascript; charset=utf-8", SCRIPT.to_owned()),
        _ => match find_brand_style(&asked) {
            Some(style) => ("text/css; charset=utf-8", style),
            None => return ApiError::not_found().into_response(),
        },
    };
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, FOR_GOOD)], text).into_response()
}
