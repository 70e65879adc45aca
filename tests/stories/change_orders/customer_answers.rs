//! Answers to a change order other than a signature, and changes by the business before the answer.

use shared::platform::db::q;

use super::*;

both_databases! {
    async fn declined_change_order_keeps_reason_and_adds_nothing(app) {
        let job = opened(app).await;
        let change = job.changes(&found()).await;
        app.run_tasks().await;
        assert_eq!(job.posts(&change, "decline", &[("reason", "Leave it as it is")]).await.status, 303);
        let shown = job.job().await;
        let listed = &shown["changeOrders"][0];
        assert_eq!((&listed["status"], &listed["declineReason"]), (&json!("declined"), &json!("Leave it as it is")));
        assert_eq!((&shown["agreed"]["total"], &shown["extraWork"]), (&json!(1250.5), &json!([])));
        let path = format!("/app/jobs/{}", job.job);
        assert_eq!(job.alerts().await, [("Ann Lee declined the change order".to_owned(), "Leave it as it is".to_owned(), path)]);
        assert!(job.page(&change).await.contains("You declined this change order"));
        let again = job.does(&change, "revise", &over(200.0)).await;
        assert_eq!((again.status.as_u16(), &again.json()["number"]), (201, &json!("CO-1001-2")));
        app.run_tasks().await;
    }

    async fn question_about_change_order_arrives_in_inbox_with_its_number(app) {
        let job = opened(app).await;
        let change = job.changes(&found()).await;
        app.run_tasks().await;
        assert_eq!(job.posts(&change, "ask", &[("question", "Is it moldy?")]).await.status, 303);
        let threads = job.office.get("/api/inbox").await.json();
        assert_eq!(threads[0]["lastPreview"], "CO-1001: Is it moldy?");
        let alerts = job.alerts().await;
        assert_eq!((alerts[0].0.as_str(), alerts[0].1.as_str()), ("Ann Lee asks about the change order", "Is it moldy?"));
        let steps = job.all().await[0]["followUps"].clone();
        assert!(!steps.as_array().unwrap().is_empty() && steps.as_array().unwrap().iter().all(|step| step["state"] == "stopped"), "{steps}");
        app.run_tasks().await;
    }

    async fn unanswered_change_order_is_followed_up_until_signed(app) {
        let job = opened(app).await;
        let change = job.changes(&found()).await;
        app.live_through(Duration::days(6), Duration::hours(1)).await;
        let asked: Vec<String> = texts(app).into_iter().filter(|text| text.contains("any question")).collect();
        let link = app.sent_link(change["link"].as_str().unwrap(), ANN).await;
        let expected_text = format!("Hi Ann, any question about your change order CO-1001 from Acme Plumbing? Ask or approve: {link} Reply STOP to opt out.");
        assert_eq!(asked, [expected_text.clone(), expected_text]);
        let decided = app.lead(job.shop.id(), job.lead).await.decisions;
        assert_eq!(decided.iter().filter(|d| d.event == "change_order_due" && d.rule == "change_order_follow_up" && d.sent).count(), 2);
        // A visit that gets another time does not affect it.
        let version = job.job().await["version"].clone();
        let body = json!({"startsAt": app.now() + Duration::days(2), "version": version});
        assert_eq!(job.office.post(&format!("/api/jobs/{}/schedule", job.job), &body).await.status, 200);
        let waiting = job.all().await[0]["followUps"].as_array().unwrap().iter().filter(|step| step["state"] == "waiting").count();
        assert_eq!(waiting, 1);
        let reminder = job.office.get(&format!("/api/leads/{}/reminder", job.lead)).await.json();
        assert!(reminder["what"].is_string(), "{reminder}");
        job.signs(&change, &[]).await;
        app.live_through(Duration::days(5), Duration::hours(1)).await;
        assert_eq!(texts(app).iter().filter(|text| text.contains("any question")).count(), 2);
    }

    async fn change_order_text_at_night_shows_as_waiting_until_sent(app) {
        let job = opened(app).await;
        app.advance(Duration::hours(13));
        let body = json!({"lines": [{"name": "Replace subfloor", "unitPrice": 200}], "send": {"email": false, "text": true}});
        let change = job.changes(&body).await;
        app.run_tasks().await;
        for shown in [job.job().await["changeOrders"][0].clone(), job.all().await[0].clone()] {
            assert_eq!(shown["id"], change["id"]);
            assert!(shown["unsent"].as_str().unwrap_or_default().starts_with("Waiting to send: "), "{shown}");
        }
        app.live_through(Duration::hours(11), Duration::hours(1)).await;
        assert_eq!(job.job().await["changeOrders"][0]["unsent"], Value::Null, "it left in the morning");
    }

    async fn change_order_revision_supersedes_only_its_own_number(app) {
        let job = opened(app).await;
        let first = job.changes(&over(300.0)).await;
        let other = job.changes(&over(80.0)).await;
        assert_eq!((&first["number"], &other["number"]), (&json!("CO-1001"), &json!("CO-1002")));
        let second = job.does(&first, "revise", &over(250.0)).await.json();
        assert_eq!((&second["number"], &second["version"], &second["jobId"]), (&json!("CO-1001-2"), &json!(2), &json!(job.job)));
        assert!(job.page(&first).await.contains("There is a newer version of this change order"));
        let late = job.posts(&first, "approve", &[("name", "Ann"), ("agree", "yes"), ("sha256", "")]).await;
        assert!(late.status == 409 && text(&late).contains("A newer version of this change order was made."));
        job.signs(&second, &[]).await;
        job.signs(&other, &[]).await;
        assert_eq!(job.job().await["agreed"]["changeOrders"], 330.0);
        // A signed version stays until the newer one is signed.
        let third = job.does(&second, "revise", &over(400.0)).await.json();
        assert_eq!((&job.money().await["agreed"], &third["number"]), (&json!(1580.5), &json!("CO-1001-3")));
        let page = job.page(&third).await;
        assert!(page.contains("Agreed before: CO-1002") && !page.contains("CO-1001-2") && page.contains("$1,730.50"), "{page}");
        job.signs(&third, &[]).await;
        let statuses: Vec<_> = job.all().await.iter().map(|one| (one["number"].clone(), one["status"].clone())).collect();
        let wanted = [("CO-1001-3", "approved"), ("CO-1001-2", "superseded"), ("CO-1002", "approved"), ("CO-1001", "replaced")];
        assert_eq!(statuses.len(), 4);
        for (number, status) in wanted {
            assert!(statuses.contains(&(json!(number), json!(status))), "{number} {status} in {statuses:?}");
        }
        assert_eq!((&job.money().await["agreed"], &job.estimate().await["status"]), (&json!(1730.5), &json!("approved")));
        assert_eq!(job.job().await["changeOrders"].as_array().unwrap().len(), 2, "valid change orders remain");
        app.run_tasks().await;
    }

    async fn expired_withdrawn_or_forged_change_order_cannot_be_signed(app) {
        let job = opened(app).await;
        let today = app.now().with_timezone(&chrono_tz::America::Chicago).date_naive();
        let mut body = found();
        body["expiresOn"] = json!(today);
        let expires = job.changes(&body).await;
        app.advance(Duration::hours(16));
        assert!(job.page(&expires).await.contains("This change order has expired"));
        let late = job.posts(&expires, "approve", &[("name", "Ann"), ("agree", "yes"), ("sha256", "")]).await;
        assert!(late.status == 409 && text(&late).contains("This change order has expired. Ask for a fresh one."));
        let shown = job.job().await;
        assert_eq!((&shown["changeOrders"][0]["status"], &shown["agreed"]["open"]), (&json!("expired"), &json!(0.0)));
        assert_eq!(job.does(&expires, "send", &json!({})).await.status, 409);

        let taken = job.changes(&over(300.0)).await;
        let withdrawn = job.does(&taken, "withdraw", &json!({"reason": "Not needed after all"})).await;
        assert_eq!((withdrawn.status.as_u16(), &withdrawn.json()["status"]), (200, &json!("withdrawn")));
        assert!(job.page(&taken).await.contains("This change order was withdrawn"));
        assert_eq!(job.posts(&taken, "approve", &[("name", "Ann"), ("agree", "yes"), ("sha256", "")]).await.status, 409);
        let refused = job.does(&taken, "revise", &over(10.0)).await;
        assert_eq!(refused.json()["detail"], "It was withdrawn. Please make a new change order.");
        assert_eq!(job.stage(app).await, PipelineStage::Scheduled, "and nothing moved");

        let open = job.changes(&over(120.0)).await;
        let forged = at(&open).replace("/p/", "/p/x");
        assert_eq!(job.customer.get(&forged).await.status, 404);
        let other = job.does(&open, "link", &json!({"revoke": true})).await.json();
        assert_eq!((job.customer.get(&at(&open)).await.status.as_u16(), job.customer.get(&at(&other)).await.status.as_u16()), (404, 200));
        let stale = job.posts(&other, "approve", &[("name", "Ann"), ("agree", "yes"), ("sha256", &"0".repeat(64))]).await;
        assert!(stale.status == 409 && text(&stale).contains("This change order has changed since you opened it."));
        assert_eq!(job.money().await["agreed"], 1250.5);
        app.run_tasks().await;
    }

    async fn change_order_for_spanish_customer_is_in_spanish(app) {
        let job = opened(app).await;
        let speaks = "UPDATE customer SET language = 'es' WHERE org_id = $1";
        app.within(async |tx| Ok(q!(tx, execute, speaks, job.shop.id())?)).await.unwrap();
        let change = job.changes(&found()).await;
        app.run_tasks().await;
        let link = app.sent_link(change["link"].as_str().unwrap(), ANN).await;
        let expected_text = format!("Hola Ann, Acme Plumbing tiene una orden de cambio para su trabajo: $248.77, nuevo total $1,499.27. Lea, pregunte o apruebe: {link} Responda STOP para darse de baja.");
        assert_eq!(texts(app), [expected_text]);
        let mails = app.mail.accepted_messages();
        let letter = mails.iter().find(|letter| letter.subject == "Orden de cambio CO-1001 de Acme Plumbing").unwrap();
        assert!(letter.html.as_deref().unwrap().contains("Ver la orden de cambio"));
        tests::long_email::assert_button_and_link(letter);
        let paper = words(&letter.attachments[0].bytes);
        assert!(paper.contains("Orden de cambio") && paper.contains("Acordado antes: EST-1001 $1,250.50") && paper.contains("Nuevo total $1,499.27"), "{paper}");
        let page = job.page(&change).await;
        for part in ["Orden de cambio CO-1001", "Acordado antes: EST-1001", "Nuevo total", "Aprobar esta orden de cambio", "además de lo acordado antes"] {
            assert!(page.contains(part), "{part} in {page}");
        }
        let before = app.mail.accepted_messages().len();
        job.signs(&change, &[]).await;
        app.run_tasks().await;
        let copy = app.mail.accepted_messages().split_off(before).into_iter().find(|letter| letter.to == "ann@customer.example").unwrap();
        assert_eq!(copy.subject, "Firmada: orden de cambio CO-1001");
        assert!(job.page(&change).await.contains("Aprobada por Ann Lee"));
        let late = job.posts(&change, "decline", &[]).await;
        assert!(late.status == 409 && text(&late).contains("Esta orden de cambio ya fue aprobada."));
        app.run_tasks().await;
    }

    async fn invalid_change_order_is_rejected_without_using_a_number(app) {
        let job = opened(app).await;
        let faults = async |body: Value| job.writes(&body).await.problem().2;
        let options = json!({"lines": [{"name": "A", "unitPrice": 1, "optionId": "a"}, {"name": "B", "unitPrice": 2, "optionId": "b"}],
            "options": [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]});
        assert_eq!(faults(options).await, ["options"]);
        assert_eq!(faults(json!({})).await, ["quotedTotal"]);
        assert_eq!(faults(json!({"quotedTotal": -5})).await, ["quotedTotal"]);
        assert_eq!(faults(json!({"quotedTotal": 5, "title": "x".repeat(121)})).await, ["title"]);
        assert_eq!(faults(json!({"lines": [{"name": "", "unitPrice": "much"}]})).await, ["lines[0].name", "lines[0].unitPrice"]);
        let less = json!({"lines": [{"name": "Less", "unitPrice": -5}], "deposit": {"percent": 30}});
        assert_eq!(faults(less).await, ["deposit"]);
        app.sets(&job.shop, json!({"estimates": {"deposit": {"kind": "percent", "value": 40}}})).await;
        let change = job.changes(&json!({"quotedTotal": 300})).await;
        assert_eq!((&change["number"], &change["deposit"]), (&json!("CO-1001"), &json!(0.0)), "the standing deposit is the estimate's");
        assert_eq!(change["content"]["lines"][0]["name"], "Extra work: Plumbing");
        let asked = job.changes(&json!({"quotedTotal": 300, "title": "New valve", "deposit": {"percent": 30}})).await;
        assert_eq!((&asked["deposit"], &asked["content"]["lines"][0]["name"]), (&json!(90.0), &json!("New valve")));
        let key = job.office.with("idempotency-key", "press-1");
        let path = format!("/api/jobs/{}/change-orders", job.job);
        let (one, two) = (key.post(&path, &over(10.0)).await.json(), key.post(&path, &over(10.0)).await.json());
        assert_eq!((&one["changeOrder"]["id"], one["changeOrder"]["number"].as_str()), (&two["changeOrder"]["id"], Some("CO-1003")));
        app.run_tasks().await;
    }
}
