import { useState } from 'react'
import { Link } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { Card } from '@/ui/card'
import { Icon } from '@/ui/icon'
import { Notice } from '@/ui/notice'
import { Toggle } from '@/ui/toggle'
import { AUTOMATION_SWITCHES } from '../automation/switches'
import { useToggleTemplate } from '../template-mutations'
import type { Switches, Template, TemplateKind } from '../types'
import { type TemplateEditorGroup, TEMPLATE_GROUPS } from './template-groups'
import { TemplateEditor } from './template-editor'

/** What is drafted for a person, and never goes out by itself: there is nothing to switch off. */
const DRAFT_KINDS: ReadonlySet<TemplateKind> = new Set(['reviewReply'])

type TemplateCardProps = { editor: TemplateEditorGroup; switches: Switches | undefined }

export function TemplateCard({ editor: { group, main, others }, switches }: TemplateCardProps) {
  const { icon, needs } = TEMPLATE_GROUPS[group]
  return (
    <Card title={main.title} icon={icon}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        {needs !== null && switches?.[needs] === false && <SwitchedOff label={AUTOMATION_SWITCHES[needs].label} />}
        <TemplateSwitch template={main} />
        {main.enabled && <TemplateEditor template={main} />}
        {others.length > 0 && (
          <section aria-label={t('{title}, other situations', { title: main.title })}>
            <h3 className="mb-1 font-semibold">{t('Other situations')}</h3>
            <ul className="divide-y divide-primary/22">
              {others.map((template) => (
                <OtherSituation key={template.kind} template={template} />
              ))}
            </ul>
          </section>
        )}
      </div>
    </Card>
  )
}

function SwitchedOff({ label }: { label: string }) {
  return (
    <Notice tone="warning" title={t('{label} is off', { label })}>
      {t('None of this is sent until it is on under')}{' '}
      <Link className="text-link" to={paths.settings('automations')}>
        {t('Automations')}
      </Link>
      .
    </Notice>
  )
}

function TemplateSwitch({ template: { kind, title, description, enabled, isAlwaysOn } }: { template: Template }) {
  const flip = useToggleTemplate(kind)
  if (DRAFT_KINDS.has(kind)) return <p className="text-note text-muted">{description}</p>
  if (isAlwaysOn)
    return (
      <p className="text-note text-muted">
        {description} {t('It is always on: carriers and the law want it.')}
      </p>
    )
  return (
    <Toggle
      label={t('Send {title}', { title })}
      hint={description}
      checked={flip.isPending ? flip.variables.enabled === true : enabled}
      onChange={(isOn) => flip.mutate({ enabled: isOn })}
    />
  )
}

function OtherSituation({ template }: { template: Template }) {
  const [isOpen, setIsOpen] = useState(false)
  const { title, kind, enabled } = template
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        className="flex min-h-12 w-full cursor-pointer items-center gap-3 rounded-field py-2 text-left"
        onClick={() => setIsOpen(!isOpen)}
      >
        <span className="min-w-0 flex-1">{title}</span>
        <span className="text-note text-muted">
          {DRAFT_KINDS.has(kind) ? t('Draft') : enabled ? t('On') : t('Off')}
        </span>
        <Icon name="chevron-down" className={isOpen ? 'rotate-180 text-primary' : 'text-primary'} />
      </button>
      {isOpen && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-5 pt-1 pb-5">
          <TemplateSwitch template={template} />
          {(enabled || DRAFT_KINDS.has(kind)) && <TemplateEditor template={template} />}
        </div>
      )}
    </li>
  )
}
