// A wording being written: its draft, what the server thinks of it, and where the cursor was last.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useCurrentUser } from '@/session/use-session'
import { rangeOf, type Range, replaceRange } from '../lib/fault-place'
import { useDraft } from '../lib/use-draft'
import { settingsQueries } from '../queries'
import type { Language, Template, TemplateFault, TemplateWarning, Wording } from '../types'

const PAUSE_MS = 400

export type Words = { subject: string; body: string }
type Field = keyof Words

type Written = { template: Template; language: Language; saved: Wording; isShown: boolean }

export function useWording({ template: { kind, hasSubject }, language, saved, isShown }: Written) {
  const { orgId } = useCurrentUser()
  const words = useDraft<Words>({ subject: saved.subject ?? '', body: saved.body })
  const fields = { subject: useRef<HTMLInputElement>(null), body: useRef<HTMLTextAreaElement>(null) }
  const [last, setLast] = useState<Field>('body')
  const settled = useDebounced(words.draft, PAUSE_MS)
  const toDraft = ({ subject, body }: Words) => ({ language, body, ...(hasSubject ? { subject } : {}) })
  const preview = useQuery({
    ...settingsQueries.templatePreview(orgId, kind, toDraft(settled)),
    enabled: isShown,
    placeholderData: keepPreviousData,
  })

  const select = (field: Field, { start, end }: Range) => {
    fields[field].current?.focus()
    fields[field].current?.setSelectionRange(start, end)
  }
  const put = (field: Field, range: Range, text: string) => {
    words.change({ ...words.draft, [field]: replaceRange(words.draft[field], range, text) })
    // Once the field holds the new words.
    requestAnimationFrame(() => select(field, { start: range.start + text.length, end: range.start + text.length }))
  }
  const whole = (field: Field): Range => ({ start: 0, end: words.draft[field].length })
  return {
    ...words,
    preview,
    fields,
    noteFocus: setLast,
    sent: () => toDraft(words.draft),
    goTo: (fault: TemplateFault) => select(fault.field, rangeOf(words.draft[fault.field], fault) ?? whole(fault.field)),
    mend: (fault: TemplateFault, suggestion: string) => {
      const range = rangeOf(words.draft[fault.field], fault)
      if (range) put(fault.field, range, suggestion)
    },
    /** One letter that makes a text dear is changed everywhere it stands. */
    swap: (warning: TemplateWarning, cheaper: string) => {
      const text = words.draft[warning.field]
      const range = rangeOf(text, warning)
      if (range)
        words.change({ ...words.draft, [warning.field]: text.replaceAll(text.slice(range.start, range.end), cheaper) })
      else put(warning.field, { start: text.length, end: text.length }, cheaper)
    },
    insert: (name: string) => {
      const field = fields[last].current
      const end = words.draft[last].length
      put(last, { start: field?.selectionStart ?? end, end: field?.selectionEnd ?? end }, `{{ ${name} }}`)
    },
  }
}
