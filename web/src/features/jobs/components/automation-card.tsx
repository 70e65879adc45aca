import { type MessageChannel, MESSAGE_KINDS } from '@/domain/message'
import { formatDateTime } from '@/lib/format/date'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { StatusLine } from '@/ui/status-line'
import type { JobDetail } from '../types'

const CHANNEL_TEXTS = { sms: t('by SMS'), email: t('by email') } as const satisfies Record<MessageChannel, string>

type AutomationCardProps = { job: JobDetail; timeZone: string }

export function AutomationCard({ job: { automation, messages }, timeZone }: AutomationCardProps) {
  return (
    <Card title={t('Automation Status')} icon="sparkle">
      <div className="grid gap-4">
        <ul className="grid gap-3">
          {automation.map(({ name, isOn, detail }) => (
            <li key={name}>
              <StatusLine tone={isOn ? 'success' : 'neutral'} icon={isOn ? 'check-circle' : 'close'}>
                {isOn ? t('{name}: on', { name }) : t('{name}: off', { name })}
              </StatusLine>
              {detail && <p className="pl-5.5 text-note text-muted">{detail}</p>}
            </li>
          ))}
        </ul>
        {messages.length > 0 && (
          <section>
            <h3 className="mb-2 text-note font-semibold text-muted">{t('Messages about this job')}</h3>
            <ul className="grid gap-2">
              {messages.map(({ kind, channel, at, statusText }) => (
                <li key={`${kind} ${channel} ${at}`} className="text-note">
                  <span className="font-semibold">{MESSAGE_KINDS[kind]}</span> {CHANNEL_TEXTS[channel]}
                  <span className="block text-caption text-muted">
                    {statusText}, {formatDateTime(at, timeZone)}
                  </span>
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </Card>
  )
}
