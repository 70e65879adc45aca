//! Change orders and money: after the last invoice, with a negative amount, without an estimate, and when a job is
//! billed automatically.

use super::*;

impl Opened {
    fn lines(draft: &Value) -> Vec<(String, f64)> {
        let all = draft["content"]["lines"].as_array().unwrap().iter();
        all.map(|line| (line["name"].as_str().unwrap().to_owned(), line["unitPrice"].as_f64().unwrap())).collect()
    }

    async fn refused(&self, body: &Value) -> String {
        let answer = self.writes(body).await;
        assert_eq!(answer.status, 409, "{}", answer.json());
        answer.json()["detail"].as_str().unwrap().to_owned()
    }

    async fn pays(&self, amount: f64) {
        let paid = self
            .office
            .post(&format!("/api/leads/{}/paid", self.lead), &json!({"amount": amount, "partial": true}))
            .await;
        assert_eq!(paid.status, 200, "{}", paid.json());
    }
}

both_databases! {
    async fn change_order_signed_after_final_invoice_is_owed_and_billed_apart(app) {
        let job = opened(app).await;
        job.moves("completed").await;
        let open = job.changes(&over(300.0)).await;
        let last = job.drafts(&json!({"leadId": job.lead})).await;
        job.issues(&last).await;
        job.pays(1250.5).await;
        assert_eq!((job.stage(app).await, job.money().await["owed"].clone()), (PipelineStage::Paid, json!(0.0)));
        job.signs(&open, &[]).await;
        let money = job.money().await;
        assert_eq!((&money["agreed"], &money["invoiced"], &money["owed"]), (&json!(1550.5), &json!(1250.5), &json!(300.0)));
        assert_eq!(job.stage(app).await, PipelineStage::Done, "a lead with an open amount is not paid");
        let more = job.drafts(&json!({"jobId": job.job})).await;
        assert_eq!((Opened::lines(&more), &more["content"]["about"]), (vec![("CO-1001: Replace subfloor".to_owned(), 300.0)], &json!("CO-1001, job 1001")));
        job.issues(&more).await;
        let money = job.money().await;
        assert_eq!((&money["invoiced"], &money["owed"]), (&json!(1550.5), &json!(300.0)));
        assert_eq!(job.office.post("/api/invoices", &json!({"leadId": job.lead})).await.status, 409, "everything is invoiced");
        job.pays(300.0).await;
        assert_eq!(job.stage(app).await, PipelineStage::Paid);
        // A newer version of a billed one is billed less what was billed of it.
        let dearer = job.does(&open, "revise", &over(340.0)).await.json();
        job.signs(&dearer, &[]).await;
        let rest = job.drafts(&json!({"leadId": job.lead})).await;
        assert_eq!(Opened::lines(&rest), [("CO-1001-2: Replace subfloor".to_owned(), 340.0), ("Invoiced before: CO-1001".to_owned(), -300.0)]);
        assert_eq!((&rest["total"], &job.money().await["owed"]), (&json!(40.0), &json!(40.0)));
        job.issues(&rest).await;
        assert_eq!(job.money().await["owed"], 40.0);
        app.live_through(Duration::minutes(2), Duration::seconds(30)).await;
    }

    async fn invoice_of_changed_job_deducts_earlier_partial_invoices(app) {
        let job = opened(app).await;
        let half = job.drafts(&json!({"leadId": job.lead, "share": {"percent": 50}})).await;
        job.issues(&half).await;
        job.agrees(300.0).await;
        let rest = job.drafts(&json!({"jobId": job.job})).await;
        let wanted = [("Work as discussed: Plumbing", 1250.5), ("CO-1001: Replace subfloor", 300.0), ("Invoiced before: INV-1001", -625.25)];
        assert_eq!(Opened::lines(&rest), wanted.map(|(name, cents)| (name.to_owned(), cents)));
        assert_eq!(rest["total"], 925.25);
        let tenth = job.drafts(&json!({"leadId": job.lead, "share": {"percent": 10}})).await;
        assert_eq!((&tenth["total"], Opened::lines(&tenth)[0].0.as_str()), (&json!(155.05), "Progress payment 10% of EST-1001, CO-1001"));
        let of_change = job.office.post("/api/invoices", &json!({"estimateId": job.all().await[0]["id"]})).await;
        assert_eq!((of_change.status.as_u16(), of_change.json()["detail"].as_str()), (409, Some("A change order is billed with its job: make the invoice of the job.")));
        let of_estimate = job.drafts(&json!({"estimateId": job.estimate().await["id"]})).await;
        assert_eq!(of_estimate["total"], 925.25, "an estimate is billed with what was changed of it");
        app.run_tasks().await;
    }

    async fn credit_change_order_is_limited_to_uninvoiced_remainder(app) {
        let job = opened(app).await;
        assert_eq!(job.refused(&over(-1300.0)).await, "That takes off more than was agreed.");
        let swap = json!({"lines": [{"name": "Oak", "unitPrice": 80}, {"name": "Instead of pine", "unitPrice": -80}], "send": {"text": false, "email": false}});
        let swap = job.changes(&swap).await;
        assert!(job.page(&swap).await.contains("$1,250.50"));
        job.signs(&swap, &[]).await;
        let less = job.changes(&over(-200.0)).await;
        assert_eq!((&less["number"], &less["total"]), (&json!("CO-1002"), &json!(-200.0)));
        let paper = words(&job.office.get(&format!("/api/estimates/{}/pdf", less["id"].as_str().unwrap())).await.body);
        assert!(paper.contains("This change order −$200.00") && paper.contains("New total $1,050.50"), "{paper}");
        job.signs(&less, &[]).await;
        let money = job.money().await;
        assert_eq!((&money["agreed"], &money["changeOrders"], &money["owed"]), (&json!(1050.5), &json!(-200.0), &json!(1050.5)));
        let waits = job.changes(&over(-100.0)).await;
        let billed = job.drafts(&json!({"leadId": job.lead, "share": {"amount": 1000}})).await;
        job.issues(&billed).await;
        let late = job.tries(&waits, &[]).await;
        assert!(late.status == 409 && text(&late).contains("This change order is out of date."), "{}", text(&late));
        assert_eq!(job.refused(&over(-60.0)).await, "More than that has been invoiced already. Void an invoice first.");
        assert_eq!(job.agrees(-50.5).await["number"], "CO-1004", "a refused change order uses no number");
        assert_eq!(job.money().await["owed"], 1000.0);
        job.pays(1000.0).await;
        assert_eq!(job.stage(app).await, PipelineStage::Paid);
        app.run_tasks().await;
    }

    async fn change_order_without_estimate_adds_to_job_value(app) {
        let begun = begun(app).await;
        let bare = begun.books(json!({})).await;
        let bare = Opened { job: bare, ..begun };
        assert_eq!(bare.refused(&over(300.0)).await, "Nothing was agreed for this job yet. Make an estimate, or say what the job is worth.");
        let worth = json!({"version": bare.job().await["version"], "value": 900}).to_string().into_bytes();
        let path = format!("/api/jobs/{}", bare.job);
        assert_eq!(bare.office.send(Method::PATCH, &path, "application/json", worth).await.status, 200);
        let change = bare.changes(&over(300.0)).await;
        let page = bare.page(&change).await;
        assert!(page.contains("Agreed before: job 1001") && page.contains("$1,200.00"), "{page}");
        assert_eq!((bare.stage(app).await, bare.money().await["agreed"].clone()), (PipelineStage::New, Value::Null), "a job in the tray moves nothing");
        bare.signs(&change, &[]).await;
        assert_eq!(bare.job().await["agreed"], json!({"estimate": 900.0, "changeOrders": 300.0, "total": 1200.0, "open": 0.0}));
        let money = bare.money().await;
        assert_eq!((&money["agreed"], &money["owed"]), (&json!(1200.0), &json!(1200.0)));
        assert_eq!(app.lead(bare.shop.id(), bare.lead).await.summary.quoted_total, None);
        let draft = bare.drafts(&json!({"jobId": bare.job})).await;
        let wanted = [("Work as discussed: Plumbing", 900.0), ("CO-1001: Replace subfloor", 300.0)];
        assert_eq!(Opened::lines(&draft), wanted.map(|(name, cents)| (name.to_owned(), cents)));
        bare.issues(&draft).await;
        assert_eq!(bare.money().await["owed"], 1200.0);
        app.run_tasks().await;
    }

    async fn automatic_invoice_stays_draft_while_change_order_is_open(app) {
        let job = opened(app).await;
        app.sets(&job.shop, json!({"invoicing": {"onCompletion": "send"}})).await;
        let change = job.changes(&over(300.0)).await;
        job.moves("completed").await;
        app.live_through(Duration::minutes(2), Duration::seconds(30)).await;
        let money = job.money().await;
        assert_eq!((&money["invoices"][0]["status"], &money["invoices"][0]["total"]), (&json!("draft"), &json!(1250.5)));
        let why = app.lead(job.shop.id(), job.lead).await.decisions;
        assert!(why.iter().any(|d| d.rule == "invoice_draft" && d.reason.contains("a change order waits for an answer")), "{why:?}");
        job.signs(&change, &[]).await;
        let send = format!("/api/invoices/{}/send", money["invoices"][0]["id"].as_str().unwrap());
        assert_eq!(job.office.post(&send, &json!({})).await.status, 409);
        assert_eq!(job.office.get("/api/jobs/summary").await.json()["revenue"], 1550.5);
        app.live_through(Duration::minutes(2), Duration::seconds(30)).await;
    }

    async fn paid_estimate_deposit_is_separate_from_change_order_deposit(app) {
        let job = opened(app).await;
        let more = json!({"quotedTotal": 1250.5, "deposit": {"percent": 40}, "send": {"email": false, "text": false}});
        let made = job.office.post(&format!("/api/leads/{}/estimate", job.lead), &more).await;
        assert_eq!(made.status, 200, "{}", made.json());
        let (plain, asks) = (job.estimate().await, "We will contact you about the deposit");
        job.signs(&plain, &[]).await;
        assert!(job.page(&plain).await.contains(asks));
        job.pays(500.2).await;
        assert!(!job.page(&plain).await.contains(asks));
        let mut body = over(300.0);
        body["deposit"] = json!({"percent": 30});
        let change = job.changes(&body).await;
        job.signs(&change, &[]).await;
        assert_eq!(job.money().await["depositDue"], 90.0);
        assert!(job.page(&change).await.contains(asks) && !job.page(&plain).await.contains(asks));
        app.run_tasks().await;
    }

    async fn change_order_deposit_is_due_for_its_own_order_only(app) {
        let job = opened(app).await;
        let mut body = over(300.0);
        body["deposit"] = json!({"percent": 30});
        let change = job.changes(&body).await;
        assert!(job.page(&change).await.contains("$90.00"));
        job.signs(&change, &[]).await;
        let money = job.money().await;
        assert_eq!((&money["depositDue"], &money["owed"]), (&json!(90.0), &json!(1550.5)));
        assert!(job.page(&change).await.contains("We will contact you about the deposit of"));
        let plain = job.agrees(80.0).await;
        assert!(!job.page(&plain).await.contains("We will contact you about the deposit"), "it asked for none");
        job.pays(90.0).await;
        assert_eq!(job.money().await["depositDue"], 0.0);
        app.run_tasks().await;
    }
}
