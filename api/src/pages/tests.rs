//! Tests of the pages: valid, small, and the same in both languages.

use shared::{documents::template::Language, domain::money::estimate::EstimateKind};

use super::{
    render::{SCRIPT, STYLE, STYLE_PATH, TEMPLATES, asset_path},
    words::PageText,
};

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
