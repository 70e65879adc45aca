//! A password whose hash was made with weaker parameters than today's (trust requirement 48).

use argon2::{Algorithm, Argon2, Params, PasswordHasher, Version, password_hash::phc::PasswordHash};
use shared::q;

use super::*;

/// A hash with the parameters of an earlier time.
fn weak(password: &str) -> String {
    let params = Params::new(8_192, 1, 1, None).unwrap();
    let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let hash: PasswordHash = argon.hash_password_with_salt(password.as_bytes(), &[7; 16]).unwrap();
    hash.to_string()
}

async fn stored(app: &TestApp) -> String {
    q!(&mut app.db.acquire_reader().await.unwrap(), fetch_one scalar String, "SELECT password_hash FROM account")
        .unwrap()
}

both_databases! {
    async fn correct_sign_in_renews_weak_hash_and_wrong_password_does_not(app) {
        olive(app).await;
        let weak = weak(PASSWORD);
        let put = "UPDATE account SET password_hash = $1";
        app.within(async |tx| Ok(q!(tx, execute, put, &weak)?)).await.unwrap();
        assert_eq!(login(&app.client(), EMAIL, "not this one").await.status, 401);
        assert_eq!(stored(app).await, weak);
        assert_eq!(login(&app.client(), EMAIL, PASSWORD).await.status, 200);
        let renewed = stored(app).await;
        assert!(renewed.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{renewed}");
        assert_eq!(login(&app.client(), EMAIL, PASSWORD).await.status, 200, "and it opens");
        assert_eq!(stored(app).await, renewed, "once is enough");
        app.run_tasks().await;
    }
}
