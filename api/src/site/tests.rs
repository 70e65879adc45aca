//! Tests of the site without a database: valid, small, no scripts, in the app's colours, with the product's content.

use axum::{
    body::{Body, to_bytes},
    http::{Request, StatusCode},
};
use base64::{Engine, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};
use shared::{
    ops::settings::InstallSettings,
    platform::{clock::ClockRng, config::EnvVars},
};
use tower::ServiceExt;

use super::{
    config::SiteOperator,
    render::{STYLE, TEMPLATES},
    *,
};
use crate::ApiConfig;

const PAGES: [&str; 5] = ["/", "/faq", "/privacy", "/terms", "/sms-terms"];
const THEME: &str = include_str!("../../../web/src/styles/theme.css");

struct Install {
    state: AppState,
    _folder: tempfile::TempDir,
}

fn install(site: SiteConfig) -> Install {
    install_as(ApiConfig { site, ..ApiConfig::default() })
}

fn install_as(config: ApiConfig) -> Install {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap().to_owned();
    let given =
        [("DATA_DIR", data.as_str()), ("PUBLIC_URL", "https://box.example"), ("SUPPORT_EMAIL", "help@box.example")];
    let mut vars = EnvVars::from_pairs(given);
    let origin = ClockRng::system();
    let settings = InstallSettings::from_vars(&mut vars, &origin.entropy);
    vars.into_result().unwrap();
    Install { state: AppState::new(settings, config, origin, None).unwrap(), _folder: folder }
}

impl Install {
    async fn ask(&self, path: &str, name: &'static str, value: &str) -> (StatusCode, HeaderMap, String) {
        let request = Request::builder().uri(path).header(name, value).body(Body::empty()).unwrap();
        let response = crate::build_router(self.state.clone()).oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, 1 << 20).await.unwrap();
        (parts.status, parts.headers, String::from_utf8(bytes.to_vec()).unwrap())
    }

    async fn page(&self, path: &str) -> (HeaderMap, String) {
        let (status, headers, text) = self.ask(path, "accept", "text/html").await;
        assert_eq!(status, 200, "{path}");
        (headers, text)
    }
}

fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    text.split_once(from).and_then(|(_, rest)| rest.split_once(to)).map(|(found, _)| found).unwrap_or_default()
}

#[test]
fn every_template_compiles() {
    for name in
        ["frame.html", "icon.html", "roof.html", "scene.html", "landing.html", "faq.html", "paper.html", "sitemap.xml"]
    {
        assert!(TEMPLATES.get_template(name).is_ok(), "{name}");
    }
}

#[tokio::test]
async fn page_is_one_small_document_and_csp_allows_only_its_own_styles() {
    let install = install(SiteConfig::default());
    for path in PAGES {
        let (headers, html) = install.page(path).await;
        let hash = STANDARD.encode(Sha256::digest(between(&html, "<style>", "</style>")));
        let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
        assert!(policy.contains(&hash), "{path}: its styles would be refused");
        assert_eq!(crate::csp::faults(policy), [""; 0], "{path}");
        assert!(!policy.contains("script") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(html.matches("<style").count(), 1, "{path}");
        assert!(!html.contains(" style=") && !html.contains("<link rel=\"stylesheet\""), "{path}");
        let scripts = html.matches("<script").count();
        assert_eq!(scripts, html.matches("<script type=\"application/ld+json\">").count(), "{path}");
        assert!(html.len() < 40_000, "{path}: {} bytes", html.len());
        assert!(!html.contains("{{") && !html.contains("{%") && !html.contains("undefined"), "{path}");
        assert!(html.contains("help@box.example") && html.contains("&copy; "), "{path}");
    }
}

#[tokio::test]
async fn landing_page_states_the_product_and_its_prices() {
    let (_, html) = install(SiteConfig::default()).page("/").await;
    for expected in [
        "5 Automation Tools, <span>One Powerful Toolbox</span>",
        "Complete Package",
        "<a class=\"button main\" href=\"/checkout\">Request A Demo</a>",
        "<a class=\"button\" href=\"/app\">Login</a>",
        "href=\"/faq\">FAQ</a>",
        "href=\"/demo\"",
        "<strong>$350</strong> a month",
        "$2,500 one-time setup fee",
        "A 6-month prepay saves $500 on setup",
        "Unlimited Usage",
        "Quote &amp; Job Tracker",
        "Missed-call text-back",
        "Your Business Flow",
    ] {
        assert!(html.contains(expected), "{expected}");
    }
    let flow = between(&html, "Your Business Flow", "</section>");
    let mut rest = flow;
    for step in ["Lead Intake", "Auto-Reply", "Job Tracker", "Review Booster", "KPI Pulse"] {
        rest = rest.split_once(step).unwrap_or_else(|| panic!("{step} is not in its place")).1;
    }
    assert!(!between(&html, "<body>", "</body>").contains('%'), "figures of what to expect are the FAQ's");
}

#[tokio::test]
async fn pages_without_demo_do_not_link_to_it() {
    let install = install_as(ApiConfig { has_demo: false, ..ApiConfig::default() });
    for path in PAGES.into_iter().chain(["/sitemap.xml"]) {
        let (_, text) = install.page(path).await;
        assert!(!text.contains("/demo"), "{path}");
    }
}

#[tokio::test]
async fn faq_page_has_seven_cards_and_a_link_to_request_a_demo() {
    let (_, html) = install(SiteConfig::default()).page("/faq").await;
    assert_eq!(html.matches("<section class=\"panel\" id=").count(), 7);
    for expected in
        ["Back to Home", "Why $350 a month?", "Ready to Get Started?", "href=\"/checkout\">Request A Demo</a>"]
    {
        assert!(html.contains(expected), "{expected}");
    }
}

#[tokio::test]
async fn structured_data_has_price_and_questions_and_sitemap_lists_the_pages() {
    let install = install(SiteConfig::default());
    let mut read = Vec::new();
    for path in ["/", "/faq"] {
        let (_, html) = install.page(path).await;
        let block = between(&html, "<script type=\"application/ld+json\">", "</script>");
        read.push(serde_json::from_str::<serde_json::Value>(block).unwrap());
    }
    assert_eq!(read[0]["@graph"][1]["offers"]["price"], 350.0);
    assert_eq!(read[0]["@graph"][0]["email"], "help@box.example");
    assert_eq!(read[1]["mainEntity"].as_array().map(Vec::len), Some(7));
    let (_, map) = install.page("/sitemap.xml").await;
    assert_eq!(map.matches("<loc>").count(), LISTED.len());
    let (_, robots) = install.page("/robots.txt").await;
    assert!(robots.contains("Disallow: /app\n") && robots.contains("Sitemap: https://box.example/sitemap.xml\n"));
}

#[tokio::test]
async fn operator_name_is_escaped_in_html() {
    let operator = SiteOperator { name: Some("Gulf <b>Tools</b> & Sons".into()), ..SiteOperator::default() };
    let install = install(SiteConfig { operator, ..SiteConfig::default() });
    for path in PAGES {
        let (_, html) = install.page(path).await;
        assert!(!html.contains("<b>") && html.contains("Gulf &lt;b&gt;Tools"), "{path}");
    }
}

#[tokio::test]
async fn page_with_matching_etag_is_not_resent() {
    let install = install(SiteConfig::default());
    for path in PAGES {
        let (headers, _) = install.page(path).await;
        let (status, again, body) = install.ask(path, "if-none-match", headers[header::ETAG].to_str().unwrap()).await;
        assert_eq!((status.as_u16(), body.as_str()), (304, ""), "{path}");
        assert!(again[header::CACHE_CONTROL].to_str().unwrap().contains("no-cache"), "{path}");
    }
}

#[tokio::test]
async fn root_with_unverifiable_session_cookie_serves_the_app_uncached() {
    let install = install(SiteConfig::default());
    let (_, headers, app) = install.ask("/", "cookie", "__Host-sid=whatever").await;
    assert!(!app.contains("One Powerful Toolbox"));
    assert!(headers.get_all(header::VARY).iter().any(|v| v == "cookie"));
    assert_eq!(headers[header::CACHE_CONTROL], "private, no-cache");
    let (_, _, landing) = install.ask("/", "cookie", "theme=day").await;
    assert!(landing.contains("One Powerful Toolbox"));
}

/// Value of a CSS variable in the first block after `mark` that names it.
fn colour<'a>(css: &'a str, mark: &str, name: &str) -> &'a str {
    let (_, rest) = css.split_once(mark).unwrap_or_else(|| panic!("{mark} is not there"));
    between(rest, &format!("{name}:"), ";").trim()
}

#[test]
fn colours_match_the_app_theme_in_dark_and_light_mode() {
    let names = [
        ("--base", "--color-base-100"),
        ("--sunk", "--color-base-200"),
        ("--text", "--color-base-content"),
        ("--cyan", "--color-primary"),
        ("--on-cyan", "--color-primary-content"),
        ("--pink", "--color-secondary"),
        ("--purple", "--color-accent"),
        ("--green", "--color-success"),
        ("--yellow", "--color-warning"),
    ];
    let more = [("--page", "--color-page"), ("--muted", "--color-muted")];
    for (own, plugin, block) in [
        (":root{", "name: 'toolbox';", ":root,\n[data-theme='toolbox'] {"),
        ("(prefers-color-scheme:light){:root{", "name: 'toolbox-day';", "\n[data-theme='toolbox-day'] {"),
    ] {
        let in_plugin = names.map(|(ours, theirs)| (ours, plugin, theirs));
        let in_block = more.map(|(ours, theirs)| (ours, block, theirs));
        for (ours, mark, theirs) in in_plugin.into_iter().chain(in_block) {
            let shown = colour(STYLE, own, ours);
            assert!(shown.starts_with('#'), "{own} {ours}");
            assert_eq!(shown, colour(THEME, mark, theirs), "{own} {ours}");
        }
    }
}
