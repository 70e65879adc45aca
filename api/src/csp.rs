//! Every Content-Security-Policy except that of the public site, whose styles are named by their hash (`site::drawn`).
//! `base-uri` and `frame-ancestors` do not follow from `default-src`: each policy states them.

/// The app: scripts, styles and data from here only; pictures also as `blob:` previews.
pub const APP: &str = "default-src 'self'; img-src 'self' blob:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";
/// The app's policy with what Stripe's form for the first payment needs (docs.stripe.com/security/guide, "Content
/// security policy"): only on the page that shows it, and only where payments are set up.
pub const CHECKOUT: &str = "default-src 'self'; script-src 'self' https://js.stripe.com https://*.js.stripe.com; connect-src 'self' https://api.stripe.com; frame-src https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com; img-src 'self' blob: https://*.stripe.com; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";
/// Customer pages: nothing from elsewhere, no inline code.
pub const PAGE: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/// Stored uploads: shown, nothing in them runs.
pub const STORED: &str = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox";
/// A PDF in the browser's own reader, whose styles are inline.
pub const PAPER: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; sandbox";

/// High findings of csp-evaluator.withgoogle.com in a policy, and directives that it must not lack.
#[cfg(test)]
pub(crate) fn faults(policy: &str) -> Vec<String> {
    let rules = policy.split(';').map(|rule| rule.split_whitespace().collect::<Vec<_>>());
    let rules: Vec<Vec<&str>> = rules.filter(|rule| !rule.is_empty()).collect();
    let of = |name: &str| rules.iter().find(|rule| rule.first() == Some(&name)).map(|rule| rule[1..].to_vec());
    let mut faults = Vec::new();
    for name in ["default-src", "base-uri", "frame-ancestors"] {
        if of(name).is_none_or(|allowed| allowed.is_empty()) {
            faults.push(format!("{name} is missing"));
        }
    }
    for name in ["script-src", "object-src"] {
        let allowed = of(name).or_else(|| of("default-src")).unwrap_or_default();
        if let Some(loose) = allowed.iter().find(|one| one.starts_with("'unsafe-") || one.ends_with(':')) {
            faults.push(format!("{name} allows {loose}"));
        }
        if name == "object-src" && allowed != ["'none'"] {
            faults.push("objects may be shown".to_owned());
        }
    }
    faults.extend(rules.iter().filter(|rule| rule[1..].contains(&"*")).map(|rule| format!("{rule:?} allows all")));
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_is_without_faults() {
        for policy in [APP, CHECKOUT, PAGE, STORED, PAPER] {
            assert_eq!(faults(policy), [""; 0], "{policy}");
            assert!(policy.contains("base-uri 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
        }
    }

    #[test]
    fn policy_fault_is_reported() {
        for (policy, wanted) in [
            ("default-src 'none'; sandbox", "base-uri is missing"),
            ("default-src 'none'; base-uri 'none'", "frame-ancestors is missing"),
            ("object-src 'none'; base-uri 'none'; frame-ancestors 'none'", "default-src is missing"),
            (
                APP.replace("default-src 'self'", "default-src 'self' 'unsafe-inline'").as_str(),
                "script-src allows 'unsafe-inline'",
            ),
            (CHECKOUT.replace("script-src 'self'", "script-src data:").as_str(), "script-src allows data:"),
            (APP.replace("object-src 'none'; ", "").as_str(), "objects may be shown"),
            (APP.replace("img-src 'self'", "img-src *").as_str(), "allows all"),
        ] {
            let found = faults(policy);
            assert!(found.iter().any(|fault| fault.contains(wanted)), "{policy}: {found:?}");
        }
    }
}
