import type { Schema } from '@/api/client'

export type Organization = Schema['Organization']
export type OrganizationPatch = Schema['OrganizationPatch']
export type Settings = Schema['Settings']
export type SettingsPatch = Schema['SettingsPatch']
export type Switches = Schema['Switches']
export type SwitchName = Schema['SwitchName']
export type Notifications = Schema['NotificationSettings']
export type Recipients = Schema['Recipients']
export type CallSettings = Schema['CallSettings']
export type SendingSettings = Schema['SendingSettings']
export type PulseSettings = Schema['PulseSettings']
export type PulsePreview = Schema['PulseShown']
export type HoldOutSettings = Schema['HoldOutSettings']
export type LeadOwners = Schema['LeadOwnerSettings']
export type ReviewRules = Schema['ReviewSettings']
export type ReviewKey = Schema['ReviewWebhook']
export type EstimateSettings = Schema['EstimateSettings']
export type EstimateSettingsPatch = NonNullable<SettingsPatch['estimates']>

export type LookSettings = Schema['LookSettings']
export type LookSettingsPatch = Schema['LookPatch']

export type FigureSettings = Schema['FigureSettings']
export type FigureSettingsPatch = Schema['FiguresPatch']
export type InvoiceSettings = Schema['InvoiceSettings']
export type InvoiceSettingsPatch = NonNullable<SettingsPatch['invoicing']>

export type OpenSpan = Schema['OpenSpan']
export type Week = Schema['BusinessWeek']
export type Weekday = keyof Week
export type ClosedDate = Schema['ClosedDate']
/** As the editor holds them: what may be left out is filled in. */
export type BusinessHours = Required<Schema['BusinessHours']>

export type Template = Schema['Template']
export type TemplateKind = Schema['TemplateKindName']
export type TemplatePatch = Schema['TemplateChange']
export type TemplateDraft = Schema['TemplateDraft']
export type TemplateFault = Schema['WordingFault']
export type TemplateWarning = Schema['WordingWarning']
export type TemplatePreview = Schema['WordingPreview']
export type Wording = Schema['TemplateWording']
export type WordingVersion = Schema['TemplateVersion']

export type PlannedMessage = Schema['PlannedMessage']
export type SwitchPreview = Schema['SwitchPreview']
export type ToolStatus = Schema['ToolStatus']
export type WebhookAddress = Schema['WebhookAddress']
export type WebhookStatus = Schema['WebhookStatus']
export type PushDevice = Schema['PushDevice']
