import { formatDateTime } from '@/lib/format/date'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { Disclosure } from '@/ui/disclosure'
import { StatusLine } from '@/ui/status-line'
import type { Customer } from '../types'

type Consent = Customer['consents'][number]

const CONSENT_LABELS: Record<string, string> = {
  informational: t('Messages about their requests'),
  promotional: t('Review requests and offers'),
}

export function ConsentsCard({ consents, timeZone }: { consents: readonly Consent[]; timeZone: string }) {
  // The newest answer of each kind that counts holds; the list is newest first.
  const holding = Object.keys(CONSENT_LABELS).flatMap(
    (kind) => consents.find((consent) => consent.class === kind && !consent.isSetAside && !consent.isProvisional) ?? [],
  )
  return (
    <Card title={t('Consents')} icon="shield">
      {consents.length === 0 ? (
        <p className="text-muted">{t('They were never asked.')}</p>
      ) : (
        <div className="grid gap-2">
          {holding.length === 0 && <p className="text-muted">{t('They have not said yes or no.')}</p>}
          {holding.map((consent) => (
            <StatusLine
              key={consent.class}
              tone={consent.granted ? 'success' : 'neutral'}
              icon={consent.granted ? 'check-circle' : 'close'}
              plain
            >
              {CONSENT_LABELS[consent.class]}: {consent.granted ? t('agreed') : t('not agreed')}
            </StatusLine>
          ))}
          <Disclosure summary={t('All answers ({count})', { count: consents.length })}>
            <ol className="mt-1 mb-2 grid gap-3">
              {consents.map((consent) => (
                <ConsentStatus
                  key={`${consent.at} ${consent.class} ${consent.leadId} ${consent.version}`}
                  consent={consent}
                  timeZone={timeZone}
                />
              ))}
            </ol>
          </Disclosure>
        </div>
      )}
    </Card>
  )
}

function ConsentStatus({
  consent: { class: kind, granted, at, wording, version, source, isSetAside, isProvisional },
  timeZone,
}: {
  consent: Consent
  timeZone: string
}) {
  return (
    <li className="text-note">
      <p className="font-semibold">
        {CONSENT_LABELS[kind] ?? kind}: {granted ? t('agreed') : t('not agreed')}
      </p>
      <p className="text-caption text-muted">
        {t('{at}, wording {version}', { at: formatDateTime(at, timeZone), version })}
      </p>
      {isSetAside && (
        <p className="text-caption text-muted">
          {t('Does not count: the form named an address that is not confirmed as theirs.')}
        </p>
      )}
      {isProvisional && (
        <p className="text-caption text-muted">
          {t('Does not count: no one has answered our messages about this request from that number.')}
        </p>
      )}
      {source && <p className="text-caption wrap-anywhere text-muted">{t('On {source}', { source })}</p>}
      <p className="mt-1 wrap-anywhere text-muted">{wording}</p>
    </li>
  )
}
