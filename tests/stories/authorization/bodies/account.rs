//! Bodies of sign-in and account security.

use serde_json::json;

use super::{Wants, email};
use crate::authorization::{
    PASSWORD,
    fixtures::{
        Fixtures,
        account::{PROOF, RECOVERY, TICKETS},
    },
};

pub(super) fn of(operation: &str, fixtures: &Fixtures, serial: usize) -> Option<Wants> {
    let [code, set_up, reset] = TICKETS.map(|(_, token)| token);
    let digits = fixtures.secrets.code.as_str();
    Some(Wants::Json(match operation {
        "signInWithCode" => json!({"ticket": code, "code": RECOVERY}),
        "setUpAtSignIn" => json!({ "ticket": set_up }),
        "confirmAtSignIn" => json!({"ticket": set_up, "code": digits}),
        "askForReset" => json!({ "email": email(serial) }),
        "proveAddress" | "lookAtProof" | "disownAddress" => json!({ "token": PROOF }),
        "resetPassword" => json!({"token": reset, "password": "another copper joint"}),
        "proveIdentity" => json!({"password": PASSWORD, "code": RECOVERY}),
        "changePassword" => json!({"currentPassword": PASSWORD, "newPassword": "another copper joint"}),
        "confirmSecondFactor" => json!({ "code": digits }),
        "requireSecondFactor" => json!({"isRequired": false}),
        "addPasskey" => json!({"challenge": "x", "name": "Work phone", "credential": {}}),
        "giveOfflineKeys" => json!({"storeId": "0190a1b2-0000-7000-8000-000000000001"}),
        "setLanguage" => json!({"language": "es"}),
        "renamePasskey" => json!({"name": "Work phone"}),
        "signInWithPasskey" | "proveByPasskey" => json!({"challenge": "x", "credential": {}}),
        _ => return None,
    }))
}
