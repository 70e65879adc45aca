// Wording faults with position, link and suggestion.
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Icon } from '@/ui/icon'
import type { TemplateFault } from '../types'

const SMALL_CLASS = 'min-h-11 px-3 text-note!'

type FaultListProps = {
  id: string
  faults: readonly TemplateFault[]
  onGoTo: (fault: TemplateFault) => void
  onUse: (fault: TemplateFault, suggestion: string) => void
}

export function FaultList({ id, faults, onGoTo, onUse }: FaultListProps) {
  if (faults.length === 0) return null
  return (
    <div id={id} role="status" aria-label={t('Faults in this wording')}>
      <ul className="grid gap-2">
        {faults.map((fault) => (
          <li
            key={`${fault.field} ${fault.start ?? ''} ${fault.message}`}
            className="rounded-field border border-error/45 bg-error/8 p-3"
          >
            <p className="flex items-start gap-1.5 text-note">
              <Icon name="alert" className="mt-0.5 size-4 text-error" />
              <span className="min-w-0 wrap-anywhere">
                <FaultPosition fault={fault} />
                {fault.message}
              </span>
            </p>
            <div className="mt-1 flex flex-wrap gap-2">
              {fault.suggestion && (
                <Button
                  variant="secondary"
                  className={SMALL_CLASS}
                  onClick={() => onUse(fault, fault.suggestion ?? '')}
                >
                  {t('Use {suggestion}', { suggestion: fault.suggestion })}
                </Button>
              )}
              <Button variant="ghost" className={SMALL_CLASS} onClick={() => onGoTo(fault)}>
                {t('Show me')}
              </Button>
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}

function FaultPosition({ fault: { field, line, column } }: { fault: TemplateFault }) {
  if (typeof line !== 'number' || typeof column !== 'number') return null
  return (
    <strong className="text-error">
      {field === 'subject'
        ? t('Subject, column {column}:', { column })
        : t('Line {line}, column {column}:', { line, column })}{' '}
    </strong>
  )
}
