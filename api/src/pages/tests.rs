//! Tests of the pages: valid, small, and the same in both languages.

use shared::{
    documents::{
        brand_color::{BrandColor, BrandPalette, BrandTheme},
        template::Language,
    },
    domain::money::estimate::EstimateKind,
};

use super::{
    render::{SCRIPT, STYLE, STYLE_PATH, TEMPLATES, asset_path, brand_style_path, find_brand_style},
    words::PageText,
};

const THEME: &str = include_str!("../../../web/src/styles/theme.css");
/// Where each theme begins in our stylesheet, in the plugin part of the app's theme, and in its own part.
const THEMES: [[&str; 3]; 2] = [
    [":root {\n  color-scheme", "name: 'toolbox-day';", "\n[data-theme='toolbox-day'] {"],
    ["(prefers-color-scheme: dark) {", "name: 'toolbox';", ":root,\n[data-theme='toolbox'] {"],
];

/// Value of a CSS variable behind `mark`.
fn token<'a>(css: &'a str, mark: &str, name: &str) -> &'a str {
    let value = css.split_once(mark).and_then(|(_, rest)| rest.split_once(&format!("{name}: ")));
    value.and_then(|(_, rest)| rest.split_once(';')).map_or_else(|| panic!("{mark} has no {name}"), |(value, _)| value)
}

#[test]
fn tokens_equal_those_of_the_public_pages_of_the_web_app() {
    let in_plugin = [
        ("--card", "--color-base-100"),
        ("--text", "--color-base-content"),
        ("--main", "--color-primary"),
        ("--fill", "--color-primary"),
        ("--on-fill", "--color-primary-content"),
        ("--fault", "--color-error"),
    ];
    for [ours, plugin, own] in THEMES {
        let own_tokens = [("--page", "--color-page"), ("--quiet", "--color-muted")];
        let pairs = in_plugin.map(|pair| (pair, plugin)).into_iter().chain(own_tokens.map(|pair| (pair, own)));
        for ((name, theirs), mark) in pairs {
            assert_eq!(token(STYLE, ours, name), token(THEME, mark, theirs), "{ours} {name}");
        }
    }
    let [[ours, plugin, _], _] = THEMES;
    for name in ["--radius-field", "--radius-box"] {
        assert_eq!(token(STYLE, ours, name), token(THEME, plugin, name));
    }
}

#[test]
fn business_without_a_color_has_the_tokens_of_the_stylesheet() {
    let BrandPalette { light, dark } = BrandPalette::TOOLBOX;
    for ([ours, ..], BrandTheme { fill, on_fill, ink }) in THEMES.into_iter().zip([light, dark]) {
        for (name, color) in [("--fill", fill), ("--on-fill", on_fill), ("--main", ink)] {
            assert_eq!(token(STYLE, ours, name), color.to_string(), "{ours} {name}");
        }
    }
}

#[test]
fn business_color_is_readable_on_every_surface() {
    for color in ["#000000", "#ffffff", "#ffcc00", "#808080", "#1d4ed8", "#c2410c"] {
        let BrandPalette { light, dark } = BrandColor::parse_hex(color).unwrap().build_palette();
        for ([ours, ..], theme) in THEMES.into_iter().zip([light, dark]) {
            for surface in ["--page", "--card", "--good", "--bad"] {
                let ground = BrandColor::parse_hex(token(STYLE, ours, surface)).unwrap();
                assert!(theme.ink.contrast_ratio(ground) >= 4.5, "{color} on {surface} of {ours}");
            }
        }
    }
}

#[test]
fn stylesheet_of_a_color_has_one_address() {
    let path = brand_style_path(BrandColor::parse_hex("#ffcc00").unwrap());
    assert!(path.starts_with("/p-assets/look-ffcc00-") && path.rsplit('.').next() == Some("css"), "{path}");
    let style = find_brand_style(&path).unwrap();
    assert!(style.starts_with(":root { --main: #806600; --fill: #ffcc00; --on-fill: #000000; }"), "{style}");
    assert!(style.contains("(prefers-color-scheme: dark) { :root { --main: #ffcc00;"), "{style}");
    for other in [path.replace("ffcc00", "FFCC00"), path.replace("ffcc00", "ffcc01"), "/p-assets/look-.css".into()] {
        assert_eq!(find_brand_style(&other), None, "{other}");
    }
}

#[test]
fn every_template_compiles() {
    for name in [
        "frame.html",
        "estimate.html",
        "invoice.html",
        "visit.html",
        "booking.html",
        "held_booking.html",
        "note.html",
        "review.html",
        "stop.html",
        "reference.html",
    ] {
        assert!(TEMPLATES.get_template(name).is_ok(), "{name}");
    }
}

#[test]
fn page_assets_are_small_and_have_a_content_hash_in_the_path() {
    assert!(STYLE.len() + SCRIPT.len() < 20_000);
    assert!(STYLE_PATH.starts_with("/p-assets/page-") && STYLE_PATH.ends_with(".css"));
    assert_ne!(asset_path("page", "a", "css"), asset_path("page", "b", "css"));
}

#[test]
fn estimate_and_change_order_words_are_complete_in_both_languages() {
    let words = |sort, language| serde_json::to_value(PageText::for_estimate_kind(sort, language)).unwrap();
    for sort in [EstimateKind::Estimate, EstimateKind::ChangeOrder] {
        say_the_same(&words(sort, Language::En), &words(sort, Language::Es));
    }
    for language in [Language::En, Language::Es] {
        let page_text = words(EstimateKind::ChangeOrder, language).to_string().to_lowercase();
        assert!(!page_text.contains("this estimate") && !page_text.contains("este presupuesto"), "{page_text}");
    }
}

fn say_the_same(english: &serde_json::Value, spanish: &serde_json::Value) {
    for (name, english_text) in english.as_object().unwrap() {
        let other = spanish[name].as_str().unwrap();
        assert!(!english_text.as_str().unwrap().is_empty() && !other.is_empty(), "{name}");
        assert!(
            matches!(name.as_str(), "subtotal" | "total") || english_text != &spanish[name],
            "{name} is not translated"
        );
    }
}
