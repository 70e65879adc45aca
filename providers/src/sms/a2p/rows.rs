//! Rows of Twilio's collections, reduced to what a registration reads.

use serde::Deserialize;

/// A part of a registration at Twilio.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct A2pResource {
    pub sid: String,
    /// Friendly name.
    pub name: Option<String>,
    /// What it refers to: the assigned object, or the customer profile of a brand.
    pub refers_to: Option<String>,
    /// Of a number, E.164.
    pub number: Option<String>,
    /// In Twilio's spelling, lower case.
    pub status: String,
    /// Whether the owner of a sole proprietor's brand has not answered Twilio's text yet.
    pub is_unverified: bool,
    /// Why it was turned down, in Twilio's words.
    pub faults: Vec<A2pFault>,
}

/// A reason of Twilio's. The words may repeat what the business wrote, so they go into no log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct A2pFault {
    pub code: Option<i64>,
    pub words: String,
}

#[derive(Deserialize)]
pub(super) struct A2pRow {
    sid: String,
    friendly_name: Option<String>,
    object_sid: Option<String>,
    customer_profile_bundle_sid: Option<String>,
    phone_number: Option<String>,
    status: Option<String>,
    /// Of a campaign.
    campaign_status: Option<String>,
    /// Of a sole proprietor's brand.
    identity_status: Option<String>,
    failure_reason: Option<String>,
    brand_feedback: Option<Vec<String>>,
    errors: Option<Vec<FaultRow>>,
    /// Of an evaluation.
    results: Option<Vec<EvaluationRow>>,
}

#[derive(Deserialize)]
struct FaultRow {
    #[serde(alias = "error_code")]
    code: Option<FaultCode>,
    #[serde(alias = "description")]
    message: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum FaultCode {
    Number(i64),
    Text(String),
}

#[derive(Deserialize)]
struct EvaluationRow {
    passed: Option<bool>,
    error_code: Option<FaultCode>,
    failure_reason: Option<String>,
    invalid: Option<Vec<EvaluationField>>,
}

#[derive(Deserialize)]
struct EvaluationField {
    error_code: Option<FaultCode>,
    failure_reason: Option<String>,
}

impl FaultCode {
    fn to_number(&self) -> Option<i64> {
        match self {
            Self::Number(code) => Some(*code),
            Self::Text(code) => code.trim().parse().ok(),
        }
    }
}

fn fault(code: Option<&FaultCode>, words: Option<String>) -> Option<A2pFault> {
    let code = code.and_then(FaultCode::to_number);
    let words = words.unwrap_or_default();
    (code.is_some() || !words.trim().is_empty()).then_some(A2pFault { code, words })
}

impl EvaluationRow {
    /// The fields that do not fit, else the part as a whole.
    fn into_faults(self) -> Vec<A2pFault> {
        if self.passed != Some(false) {
            return Vec::new();
        }
        let fields = self.invalid.unwrap_or_default().into_iter();
        let named: Vec<A2pFault> =
            fields.filter_map(|field| fault(field.error_code.as_ref(), field.failure_reason)).collect();
        if named.is_empty() {
            fault(self.error_code.as_ref(), self.failure_reason).into_iter().collect()
        } else {
            named
        }
    }
}

impl From<A2pRow> for A2pResource {
    fn from(row: A2pRow) -> Self {
        let is_unverified =
            row.identity_status.as_deref().is_some_and(|status| status.eq_ignore_ascii_case("UNVERIFIED"));
        let feedback = row.brand_feedback.unwrap_or_default().into_iter();
        let errors = row.errors.unwrap_or_default().into_iter();
        let mut faults: Vec<A2pFault> = errors.filter_map(|row| fault(row.code.as_ref(), row.message)).collect();
        faults.extend(feedback.map(|words| A2pFault { code: None, words }));
        faults.extend(row.results.unwrap_or_default().into_iter().flat_map(EvaluationRow::into_faults));
        if faults.is_empty() {
            faults.extend(fault(None, row.failure_reason));
        }
        Self {
            sid: row.sid,
            name: row.friendly_name,
            refers_to: row.object_sid.or(row.customer_profile_bundle_sid),
            number: row.phone_number,
            status: row.status.or(row.campaign_status).unwrap_or_default().to_ascii_lowercase(),
            is_unverified,
            faults,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(row: &str) -> A2pResource {
        serde_json::from_str::<A2pRow>(row).unwrap().into()
    }

    #[test]
    fn faults_of_brand_campaign_and_evaluation_are_read() {
        let brand = read(
            r#"{"sid":"BN1","customer_profile_bundle_sid":"BU1","status":"FAILED","identity_status":"SELF_DECLARED",
                "failure_reason":"Registration failed","brand_feedback":["TAX_ID"],"errors":[]}"#,
        );
        assert_eq!((brand.status.as_str(), brand.refers_to.as_deref()), ("failed", Some("BU1")));
        assert_eq!(brand.faults, [A2pFault { code: None, words: "TAX_ID".into() }]);
        let campaign = read(
            r#"{"sid":"QE1","campaign_status":"FAILED",
                "errors":[{"error_code":30893,"description":"Samples","fields":["MESSAGE_SAMPLES"],"url":"x"}]}"#,
        );
        assert_eq!(campaign.faults, [A2pFault { code: Some(30_893), words: "Samples".into() }]);
        let evaluation = read(
            r#"{"sid":"EL1","status":"noncompliant","results":[{"passed":true,"invalid":[]},{"passed":false,
                "error_code":22214,"failure_reason":"part","invalid":[{"error_code":"22215","failure_reason":"Name"}]}]}"#,
        );
        assert_eq!(evaluation.faults, [A2pFault { code: Some(22_215), words: "Name".into() }]);
    }

    #[test]
    fn brand_of_sole_proprietor_waits_for_answer_to_text() {
        let brand =
            |identity: &str| read(&format!(r#"{{"sid":"BN1","status":"APPROVED","identity_status":"{identity}"}}"#));
        assert!(brand("UNVERIFIED").is_unverified && !brand("VERIFIED").is_unverified);
        assert!(!read(r#"{"sid":"BN1","status":"APPROVED"}"#).is_unverified);
    }
}
