// The cards of each topic.
import { useQuery } from '@tanstack/react-query'
import { type ComponentType, lazy, type ReactNode } from 'react'
import { isDemoMode } from '@/lib/demo'
import { t } from '@/lib/i18n'
import type { SettingsTopicSlug } from '@/lib/settings-topics'
import { useCurrentUser } from '@/features/session/use-session'
import { EmptyState } from '@/ui/empty-state'
import { QueryBoundary } from '@/ui/query-boundary'
import { TabSkeleton } from '../components/tab-skeleton'
import { settingsMessages as texts } from '../messages'
import { settingsQueries } from '../queries'
import type { Organization, Settings } from '../types'

const BusinessCard = lazy(async () => ({ default: (await import('../organization/business-card')).BusinessCard }))
const SendingNumberCard = lazy(async () => ({
  default: (await import('../organization/sending-number-card')).SendingNumberCard,
}))
const LookCard = lazy(async () => ({ default: (await import('../organization/look-card')).LookCard }))
const BusinessHoursCard = lazy(async () => ({
  default: (await import('../organization/business-hours-card')).BusinessHoursCard,
}))
const BookingCard = lazy(async () => ({ default: (await import('../organization/booking-card')).BookingCard }))
const PeopleCard = lazy(async () => ({ default: (await import('@/features/people/people-card')).PeopleCard }))
const LeadOwnersCard = lazy(async () => ({
  default: (await import('../organization/lead-owners-card')).LeadOwnersCard,
}))
const CrewsCard = lazy(async () => ({ default: (await import('@/features/jobs/crews/crews-card')).CrewsCard }))
const PushCard = lazy(async () => ({ default: (await import('../organization/push-card')).PushCard }))
const RecipientsCard = lazy(async () => ({ default: (await import('../organization/recipients-card')).RecipientsCard }))
const NotificationsCard = lazy(async () => ({
  default: (await import('../organization/notifications-card')).NotificationsCard,
}))
const AutomationPages = {
  automations: lazy(async () => ({ default: (await import('../automation/pages')).AutomationsPage })),
  replies: lazy(async () => ({ default: (await import('../automation/pages')).RepliesPage })),
  reminders: lazy(async () => ({ default: (await import('../automation/reminders-page')).RemindersPage })),
  reviews: lazy(async () => ({ default: (await import('../automation/reviews-page')).ReviewsPage })),
  reports: lazy(async () => ({ default: (await import('../automation/reports-page')).ReportsPage })),
}
const CallsCard = lazy(async () => ({ default: (await import('../automation/calls-card')).CallsCard }))
const SendingCard = lazy(async () => ({ default: (await import('../automation/sending-card')).SendingCard }))
const TemplatesPage = lazy(async () => ({ default: (await import('../communications/templates-page')).TemplatesPage }))
const SubscriptionPage = lazy(async () => ({
  default: (await import('../billing/subscription-page')).SubscriptionPage,
}))
const EstimateSettingsCard = lazy(async () => ({
  default: (await import('../documents/estimate-settings-card')).EstimateSettingsCard,
}))
const InvoiceSettingsCard = lazy(async () => ({
  default: (await import('../documents/invoice-settings-card')).InvoiceSettingsCard,
}))
const CardPaymentsCard = lazy(async () => ({ default: (await import('../cards/card-payments-card')).CardPaymentsCard }))
const PriceBookCard = lazy(async () => ({ default: (await import('../price-book/price-book-card')).PriceBookCard }))
const DeliveryTestsCard = lazy(async () => ({
  default: (await import('../control-panel/delivery-tests-card')).DeliveryTestsCard,
}))
const ControlPanelPages = {
  status: lazy(async () => ({ default: (await import('../control-panel/pages')).SystemStatusPage })),
  data: lazy(async () => ({ default: (await import('../control-panel/pages')).DataPage })),
}
const DevelopersPage = lazy(async () => ({ default: (await import('../developers/developers-page')).DevelopersPage }))

/** Two queries that nearly every card asks, with their skeleton and their failure. */
function WithSettings({ children }: { children: (settings: Settings) => ReactNode }) {
  const { orgId, orgTimezone } = useCurrentUser()
  return (
    <QueryBoundary
      query={useQuery(settingsQueries.settings(orgId))}
      skeleton={<TabSkeleton />}
      errorText={texts.settingsFailed}
      timeZone={orgTimezone}
    >
      {children}
    </QueryBoundary>
  )
}

function WithOrganization({ children }: { children: (organization: Organization) => ReactNode }) {
  const { orgId, orgTimezone } = useCurrentUser()
  return (
    <QueryBoundary
      query={useQuery(settingsQueries.organization(orgId))}
      skeleton={<TabSkeleton />}
      errorText={texts.organizationFailed}
      timeZone={orgTimezone}
    >
      {children}
    </QueryBoundary>
  )
}

function ForOwner({ children }: { children: ReactNode }) {
  const { role } = useCurrentUser()
  if (role === 'owner' && !isDemoMode()) return children
  return (
    <EmptyState icon="shield" title={t('This is for the owner')}>
      {t('This reaches the whole business. Ask its owner.')}
    </EmptyState>
  )
}

type PanelProps = { part: string | undefined }

export const TOPIC_PANELS: Readonly<Record<SettingsTopicSlug, ComponentType<PanelProps>>> = {
  business: () => <WithOrganization>{(found) => <BusinessCard organization={found} />}</WithOrganization>,
  look: () => (
    <WithOrganization>
      {(organization) => (
        <WithSettings>{({ look }) => <LookCard organization={organization} saved={look} />}</WithSettings>
      )}
    </WithOrganization>
  ),
  'texting-number': () => <SendingNumberCard />,
  hours: () => (
    <WithSettings>
      {({ hours }) => <BusinessHoursCard saved={{ ...hours, closedDates: hours.closedDates ?? [] }} />}
    </WithSettings>
  ),
  'online-booking': () => <WithSettings>{(settings) => <BookingCard saved={settings} />}</WithSettings>,
  people: () => <PeopleCard />,
  'new-requests': () => <WithSettings>{({ leadOwners }) => <LeadOwnersCard saved={leadOwners} />}</WithSettings>,
  crews: () => <CrewsCard />,
  alerts: () => <PushCard />,
  recipients: () => <WithSettings>{({ recipients }) => <RecipientsCard recipients={recipients} />}</WithSettings>,
  notifications: () => (
    <WithSettings>{({ notifications }) => <NotificationsCard saved={notifications} />}</WithSettings>
  ),
  automations: () => <WithSettings>{(settings) => <AutomationPages.automations settings={settings} />}</WithSettings>,
  'automatic-replies': () => (
    <WithSettings>{(settings) => <AutomationPages.replies settings={settings} />}</WithSettings>
  ),
  'missed-calls': () => <WithSettings>{({ calls }) => <CallsCard saved={calls} />}</WithSettings>,
  reminders: () => <WithSettings>{(settings) => <AutomationPages.reminders settings={settings} />}</WithSettings>,
  'review-requests': () => <WithSettings>{(settings) => <AutomationPages.reviews settings={settings} />}</WithSettings>,
  'daily-limits': () => <WithSettings>{({ sending }) => <SendingCard saved={sending} />}</WithSettings>,
  reports: () => <WithSettings>{(settings) => <AutomationPages.reports settings={settings} />}</WithSettings>,
  templates: ({ part }) => <TemplatesPage group={part} />,
  subscription: () => <SubscriptionPage />,
  estimates: () => (
    <WithOrganization>
      {(organization) => (
        <WithSettings>
          {({ estimates }) => <EstimateSettingsCard organization={organization} saved={estimates} />}
        </WithSettings>
      )}
    </WithOrganization>
  ),
  invoices: () => <WithSettings>{({ invoicing }) => <InvoiceSettingsCard saved={invoicing} />}</WithSettings>,
  'card-payments': () => <CardPaymentsCard />,
  'price-book': () => <PriceBookCard />,
  tests: () => <DeliveryTestsCard />,
  'system-status': () => <ControlPanelPages.status />,
  data: () => (
    <ForOwner>
      <ControlPanelPages.data />
    </ForOwner>
  ),
  developers: () => (
    <ForOwner>
      <DevelopersPage />
    </ForOwner>
  ),
}
