// What the settings read and write, by name.
export type Organization = {
  id: string; slug: string; name: string; industry: string | null; phone: string | null; reviewLink: string | null; bookingLink: string | null
  timezone: string; smsNumber: string | null; postalAddress: string | null
}
export type OrganizationPatch = Partial<Omit<Organization, 'id' | 'slug'>>
export type Switches = { leadIntake: boolean; automatedCommunications: boolean; jobTracking: boolean; reviewCollection: boolean; kpiReporting: boolean }
export type SwitchName = keyof Switches
export type Notifications = {
  frequency: 'immediate' | 'hourly' | 'daily' | 'weekly'; schedule: 'anytime' | 'business_hours' | 'custom'
  businessStart: string; businessEnd: string; escalateAfterMinutes: number; escalateNextAfterMinutes: number
}
export type Recipients = { emails: { id: string; address: string }[]; phones: { id: string; address: string; shown: string }[] }
export type OpenSpan = { opens: string; closes: string }
export type Week = { mon: OpenSpan[]; tue: OpenSpan[]; wed: OpenSpan[]; thu: OpenSpan[]; fri: OpenSpan[]; sat: OpenSpan[]; sun: OpenSpan[] }
export type Weekday = keyof Week
export type ClosedDate = { date: string; label: string }
export type Hours = { week: Week; closedDates: ClosedDate[] }
export type Calls = { forwardTo: string[]; ringSeconds: number; textDelaySeconds: number; repeatHours: number; nudge: boolean; emergencyWords: string[] }
export type Sending = { dailyTextBudget: number; holdRepliesAtNight: boolean; registration: 'approved' | 'pending' }
export type Settings = { switches: Switches; notifications: Notifications; recipients: Recipients; hours: Hours; calls: Calls; sending: Sending }
export type SettingsPatch = { switches?: Partial<Switches>; notifications?: Partial<Notifications>; hours?: Hours; calls?: Partial<Calls>; sending?: Partial<Sending> }

export type TemplateGroup = 'sms' | 'missedCall' | 'email' | 'employee' | 'unpaidInvoice' | 'reviewRequest'
export type Language = 'en' | 'es'
export type TemplateKind =
  | TemplateGroup | 'missedCallAfterHours' | 'missedCallHoliday' | 'missedCallEmergency' | 'missedCallJobToday' | 'missedCallNudge' | 'textReply'
  | 'textReplyAfterHours' | 'helpReply' | 'stopConfirmation' | 'ownerAlert' | 'ownerDigest'
export type Wording = { subject: string | null; body: string; isDefault: boolean; version: number; updatedAt: string | null }
export type Template = {
  kind: TemplateKind; title: string; description: string; group: TemplateGroup; channel: 'sms' | 'email' | 'push'; enabled: boolean
  allowed: { name: string; description: string; example: string }[]; wordings: { en: Wording; es: Wording }
}
export type TemplatePatch = { enabled?: boolean; language?: Language; subject?: string | null; body?: string; reset?: boolean }
export type TemplateFault = { field: 'subject' | 'body'; line: number | null; column: number | null; message: string; suggestion: string | null }
export type TemplateDraft = { language: Language; subject?: string | null; body: string }
export type TemplatePreview = {
  subject: string | null; body: string | null; segments: { encoding: string; segments: number; units: number; left: number } | null
  faults: TemplateFault[]; warnings: { message: string; found: string | null; cheaper: string | null }[]; sample: 'lead' | 'example'
}
export type WordingVersion = { version: number; subject: string | null; body: string; isDefault: boolean; createdAt: string; by: string | null }

export type PlannedMessage = { at: string; to: string; toName: string | null; channel: 'sms' | 'email'; kind: string; text: string; leadId: string | null; why: string }
export type SwitchPreview = { messages: PlannedMessage[]; oldRecords: number }
export type ToolStatus = {
  tool: 'leadIntake' | 'autoReply' | 'jobTracker' | 'reviewBooster' | 'kpiPulse'; name: string; status: 'operational' | 'degraded' | 'down'; detail: string
  lastSuccessAt: string | null; checks: { name: string; ok: boolean; detail: string }[]
}
export type WebhookAddress = { name: string; url: string; lastReceivedAt: string | null; lastFailedAt: string | null; refused: number; lastRefusedAt: string | null }
export type WebhookStatus = { twilio: { isSetUp: boolean; isReachable: boolean; why: string | null; addresses: WebhookAddress[] } }
export type TestSent = { messageId: string; to: string }
export type PushDevice = {
  id: string; label: string; createdAt: string; lastSentAt: string | null; seenAt: string | null; deadAt: string | null; fault: string | null; isThisAccount: boolean
}

type Path<P> = { query?: never; header?: never; cookie?: never; path: P }
type Answers<T, S extends number = 200> = { responses: { [K in S]: { headers: Record<string, unknown>; content: { 'application/json': T } } } }
type None<S extends number = 204> = { responses: { [K in S]: { headers: Record<string, unknown>; content?: never } } }
type Body<T> = { requestBody: { content: { 'application/json': T } } }
type Bare = { parameters: { query?: never; header?: never; cookie?: never; path?: never } }
type OrgPath = { parameters: Path<{ orgId: string }> }

declare module '@/api/schema' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface can be merged
  interface paths {
    '/api/org/{orgId}': { get: OrgPath & Answers<Organization>; patch: OrgPath & Body<OrganizationPatch> & Answers<Organization> }
    '/api/org/{orgId}/settings': { get: OrgPath & Answers<Settings>; patch: OrgPath & Body<SettingsPatch> & Answers<Settings> }
    '/api/org/{orgId}/recipients': { post: OrgPath & Body<{ email?: string; phone?: string }> & Answers<Recipients, 200 | 201> }
    '/api/org/{orgId}/recipients/{id}': { delete: { parameters: Path<{ orgId: string; id: string }> } & Answers<Recipients> }
    '/api/org/{orgId}/recipients/{id}/test': { post: { parameters: Path<{ orgId: string; id: string }> } & Answers<TestSent, 202> }
    '/api/org/{orgId}/templates': { get: OrgPath & Answers<Template[]> }
    '/api/org/{orgId}/templates/{kind}': { patch: { parameters: Path<{ orgId: string; kind: TemplateKind }> } & Body<TemplatePatch> & Answers<Template> }
    '/api/org/{orgId}/templates/{kind}/preview': { post: { parameters: Path<{ orgId: string; kind: TemplateKind }> } & Body<TemplateDraft> & Answers<TemplatePreview> }
    '/api/org/{orgId}/templates/{kind}/versions': {
      get: { parameters: { path: { orgId: string; kind: TemplateKind }; query: { language: Language }; header?: never; cookie?: never } } & Answers<WordingVersion[]>
    }
    '/api/org/{orgId}/preview': {
      get: { parameters: { path: { orgId: string }; query: { switch: SwitchName; days: number }; header?: never; cookie?: never } } & Answers<SwitchPreview>
    }
    '/api/test/email': { post: Bare & Answers<TestSent, 202> }
    '/api/test/sms': { post: Bare & Answers<TestSent, 202> }
    '/api/system/status': { get: Bare & Answers<ToolStatus[]> }
    '/api/webhooks/status': { get: Bare & Answers<WebhookStatus> }
    '/api/push/key': { get: Bare & Answers<{ publicKey: string }> }
    '/api/push/devices': {
      get: Bare & Answers<PushDevice[]>
      post: Bare & Body<{ endpoint: string; keys: { p256dh: string; auth: string }; label: string }> & Answers<PushDevice, 201>
    }
    '/api/push/devices/{id}': { delete: { parameters: Path<{ id: string }> } & None }
    '/api/push/devices/{id}/test': { post: { parameters: Path<{ id: string }> } & Answers<{ testId: string }, 202> }
  }
}
