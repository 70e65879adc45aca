// Draft of a wording, server preview, cursor.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { Language } from '@/domain/customer'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useCurrentUser } from '@/features/session/use-session'
import { getFaultRange, type TextRange, replaceRange } from '../lib/fault-range'
import { useSettingsDraft } from '../lib/use-settings-draft'
import { settingsQueries } from '../queries'
import type { Template, TemplateFault, TemplateWarning, Wording } from '../types'

const DEBOUNCE_MS = 400

export type WordingDraft = { subject: string; body: string }
type Field = keyof WordingDraft

type WordingOptions = { template: Template; language: Language; saved: Wording; isShown: boolean }

export function useWording({ template: { kind, hasSubject }, language, saved, isShown }: WordingOptions) {
  const { orgId } = useCurrentUser()
  const draft = useSettingsDraft<WordingDraft>({ subject: saved.subject ?? '', body: saved.body })
  const fields = { subject: useRef<HTMLInputElement>(null), body: useRef<HTMLTextAreaElement>(null) }
  const [last, setLast] = useState<Field>('body')
  const settled = useDebounced(draft.draft, DEBOUNCE_MS)
  const toDraft = ({ subject, body }: WordingDraft) => ({ language, body, ...(hasSubject ? { subject } : {}) })
  const preview = useQuery({
    ...settingsQueries.templatePreview(orgId, kind, toDraft(settled)),
    enabled: isShown,
    placeholderData: keepPreviousData,
  })

  const select = (field: Field, { start, end }: TextRange) => {
    fields[field].current?.focus()
    fields[field].current?.setSelectionRange(start, end)
  }
  const put = (field: Field, range: TextRange, text: string) => {
    draft.change({ ...draft.draft, [field]: replaceRange(draft.draft[field], range, text) })
    // Once the field holds the new words.
    requestAnimationFrame(() => select(field, { start: range.start + text.length, end: range.start + text.length }))
  }
  const whole = (field: Field): TextRange => ({ start: 0, end: draft.draft[field].length })
  return {
    ...draft,
    preview,
    fields,
    noteFocus: setLast,
    sent: () => toDraft(draft.draft),
    goTo: (fault: TemplateFault) =>
      select(fault.field, getFaultRange(draft.draft[fault.field], fault) ?? whole(fault.field)),
    mend: (fault: TemplateFault, suggestion: string) => {
      const range = getFaultRange(draft.draft[fault.field], fault)
      if (range) put(fault.field, range, suggestion)
    },
    /** Replaces a costly character everywhere. */
    swap: (warning: TemplateWarning, cheaper: string) => {
      const text = draft.draft[warning.field]
      const range = getFaultRange(text, warning)
      if (range)
        draft.change({ ...draft.draft, [warning.field]: text.replaceAll(text.slice(range.start, range.end), cheaper) })
      else put(warning.field, { start: text.length, end: text.length }, cheaper)
    },
    insert: (name: string) => {
      const field = fields[last].current
      const end = draft.draft[last].length
      put(last, { start: field?.selectionStart ?? end, end: field?.selectionEnd ?? end }, `{{ ${name} }}`)
    },
  }
}
