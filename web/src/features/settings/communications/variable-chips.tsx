import { t } from '@/lib/i18n'
import { Icon } from '@/ui/icon'
import type { Template } from '../types'
import { getVariableLabel } from './variable-labels'

type VariableChipsProps = { allowed: Template['allowed']; onInsert: (name: string) => void }

export function VariableChips({ allowed, onInsert }: VariableChipsProps) {
  return (
    <div role="group" aria-label={t('Insert what is filled in')} className="flex flex-wrap gap-2">
      {allowed.map(({ name, description, example }) => (
        <button
          key={name}
          type="button"
          aria-label={t('Insert {variable}', { variable: getVariableLabel(name) })}
          title={t('{description}. For example: {example}', { description, example })}
          className="flex min-h-11 cursor-pointer items-center gap-1 rounded-full border border-primary/55 px-3 text-note hover:bg-primary/10"
          // The text field keeps the focus, and with it the phone its keyboard.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onInsert(name)}
        >
          <Icon name="plus" className="size-4 text-primary" />
          {getVariableLabel(name)}
        </button>
      ))}
    </div>
  )
}
