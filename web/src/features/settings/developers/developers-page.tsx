// API keys, webhooks and the addresses that providers call. For owners.
import { ProviderWebhooksCard } from '../control-panel/provider-webhooks-card'
import { ApiKeysCard } from './api-keys-card'
import { WebhooksCard } from './webhooks-card'

export function DevelopersPage() {
  return (
    <>
      <ApiKeysCard />
      <WebhooksCard />
      <ProviderWebhooksCard provider="twilio" />
      <ProviderWebhooksCard provider="stripe" />
    </>
  )
}
