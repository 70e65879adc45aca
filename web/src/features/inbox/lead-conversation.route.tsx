import { useOutletContext } from 'react-router-dom'
import type { ConversationRouteProps } from '@/domain/message'
import { t } from '@/lib/i18n'
import { Conversation } from './components/conversation'

export function Component() {
  const { customerId, leadId } = useOutletContext<ConversationRouteProps>()
  return (
    <section aria-label={t('Conversation')} className="glass-card overflow-hidden">
      <Conversation key={customerId} customerId={customerId} leadId={leadId} />
    </section>
  )
}
