// A form that saves by itself: text after a pause or on leaving the field, everything else at once.
import { type FocusEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { FieldValues, Path, PathValue, UseFormReturn } from 'react-hook-form'
import { ApiError } from '@/api/client'
import { useReportDirty } from '@/lib/dirty-forms'
import { useOnline } from '@/lib/hooks/use-online'
import type { FieldDescription, FieldStatusHost } from '@/ui/field-status'
import type { FormSchema } from '@/ui/form'
import { settingsMessages as texts } from '../messages'
import { toastUndo } from '../toast-undo'
import {
  type DescribedChange,
  describeChanges,
  formatChange,
  isSame,
  listChangedFields,
  pickFields,
  validateFields,
} from './autosave-changes'
import { stripErrorPrefix } from './strip-error-prefix'

const TYPING_PAUSE_MS = 1000
/** Two fields that one tap changes leave together. */
const TOGETHER_MS = 50
/** The picker of a phone leaves the focus in its field. */
const PICKING_PAUSE_MS = 3000
const SAVED_SHOWN_MS = 10_000
/** Half of a number is another number: it is saved on leaving the field. So is one of several in a field. */
const WHOLE_TYPE = 'number'
const PICKED_TYPES: ReadonlySet<string> = new Set(['time', 'date'])

export type AutosaveState = 'idle' | 'saving' | 'saved' | 'failed'

type AutosaveOptions<T extends FieldValues> = {
  form: UseFormReturn<T>
  schema: FormSchema<T>
  /** The name of the part in the settings; none for the organization. */
  part: string | undefined
  saved: T
  /** Gets the changed fields only; returns values as saved, the changed ones at least. */
  onSave: (changed: Partial<T>) => Promise<Partial<T>>
}

/** Pause before a change is sent; undefined where it waits for the field to be left. */
function getPause(name: string): number | undefined {
  const active = document.activeElement
  const isTyped =
    active instanceof HTMLTextAreaElement ||
    (active instanceof HTMLInputElement && active.type !== 'radio' && active.type !== 'checkbox')
  if (!isTyped || active.name !== name) return TOGETHER_MS
  if (active.type === WHOLE_TYPE || name.includes('.')) return undefined
  return PICKED_TYPES.has(active.type) ? PICKING_PAUSE_MS : TYPING_PAUSE_MS
}

export function useAutosave<T extends FieldValues>({ form, schema, part, saved, onSave }: AutosaveOptions<T>) {
  const isOnline = useOnline()
  const [state, setState] = useState<AutosaveState>('idle')
  const [changes, setChanges] = useState<readonly DescribedChange[]>([])
  const [isDirty, setDirty] = useState(false)
  /** Until a save succeeds. A link that is tapped leaves the field, which tries again. */
  const [wasRefused, setRefused] = useState(false)
  const baseline = useRef(saved)
  const settled = useRef(new Map<string, unknown>())
  /** Fields that were left: only these show what is wrong with them. */
  const left = useRef(new Set<string>())
  const descriptions = useRef(new Map<string, FieldDescription>())
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const queue = useRef<Promise<void>>(Promise.resolve())
  useReportDirty(isDirty && (wasRefused || state !== 'saving'))

  const setField = (name: string, value: unknown) => form.setValue(name as Path<T>, value as PathValue<T, Path<T>>)
  const listChanged = () => listChangedFields(form.getValues(), baseline.current, settled.current)

  /** Takes over saved values; input that is not saved yet stays. */
  const adopt = (next: Partial<T>, sent: FieldValues = baseline.current) => {
    const values = form.getValues()
    for (const name of Object.keys(next)) {
      const isUnchanged = isSame(values[name], sent[name]) || isSame(values[name], baseline.current[name])
      if (!isUnchanged || isSame(values[name], next[name])) continue
      const active = document.activeElement
      // What is being typed keeps its spelling until it is left.
      if (active instanceof HTMLInputElement && active.name === name) settled.current.set(name, values[name])
      else setField(name, next[name])
    }
    baseline.current = { ...baseline.current, ...next }
    setDirty(listChanged().length > 0)
  }

  const showServerErrors = (error: unknown) => {
    const own = part === undefined ? error : stripErrorPrefix(error, part)
    if (!(own instanceof ApiError)) return
    const known = form.getValues()
    for (const [field, message] of Object.entries(own.errors)) {
      const path = field.replaceAll(/\[(\d+)\]/g, '.$1')
      if ((path.split('.')[0] ?? '') in known) form.setError(path as Path<T>, { type: 'server', message })
    }
  }

  const showProblems = (
    changed: readonly string[],
    problems: Awaited<ReturnType<typeof validateFields>>['problems'],
  ) => {
    for (const name of changed) {
      const problem = problems.get(name)
      if (!problem) form.clearErrors(name as Path<T>)
      else if (left.current.has(problem.path) || left.current.has(name))
        form.setError(problem.path as Path<T>, { type: 'validate', message: problem.message })
    }
  }

  const undo = (before: Partial<T>, after: Partial<T>) => {
    const names = Object.keys(before)
    // Somebody else's newer change stays.
    if (names.some((name) => !isSame(baseline.current[name], after[name]))) return toastUndo.refused()
    for (const name of names) {
      settled.current.delete(name)
      setField(name, before[name])
    }
    void flush()
  }

  const send = async (): Promise<void> => {
    const values = { ...form.getValues() }
    const changed = listChanged()
    const { parsed, problems } = await validateFields(schema, values)
    showProblems(changed, problems)
    const names = changed.filter((name) => !problems.has(name))
    // An earlier save of the queue took these changes along: what it says stays.
    if (names.length === 0) return setState((now) => (now === 'saved' ? now : 'idle'))
    const before = pickFields<T>(baseline.current, names)
    try {
      const next = await onSave(pickFields<T>(parsed, names))
      // What was refused stays as it was typed.
      adopt(next, { ...baseline.current, ...pickFields<T>(values, names) })
      const after = pickFields<T>(baseline.current, names)
      setChanges(describeChanges(descriptions.current, after, names))
      setState('saved')
      setRefused(false)
      toastUndo.offer(() => undo(before, after))
    } catch (error) {
      showServerErrors(error)
      setState('failed')
      setRefused(true)
    }
  }

  const flush = (): Promise<void> => {
    clearTimeout(timer.current)
    timer.current = undefined
    if (listChanged().length === 0) {
      adopt(baseline.current)
      return queue.current
    }
    if (!navigator.onLine) return queue.current
    setState('saving')
    // It may wait for another save, and the form is rendered again meanwhile.
    queue.current = queue.current.then(() => latest.current.send())
    return queue.current
  }

  const noteChange = (name: string) => {
    settled.current.delete(name)
    const hasChanged = listChanged().length > 0
    setDirty(hasChanged)
    clearTimeout(timer.current)
    const pause = getPause(name)
    timer.current = pause === undefined ? undefined : setTimeout(() => void flush(), pause)
  }

  const latest = useRef({ adopt, send, flush, noteChange })
  useEffect(() => {
    latest.current = { adopt, send, flush, noteChange }
  })

  const savedText = JSON.stringify(saved)
  useEffect(() => {
    const next = JSON.parse(savedText) as T
    if (!isSame(next, baseline.current)) latest.current.adopt(next)
  }, [savedText])
  useEffect(() => {
    const watched = form.watch((_values, { name, type }) => {
      if (type === 'change' && name !== undefined) latest.current.noteChange(name)
    })
    return () => watched.unsubscribe()
  }, [form])
  // What was typed is not lost by leaving the page within the pause.
  useEffect(
    () => () => {
      if (timer.current !== undefined) void latest.current.flush()
    },
    [],
  )
  useEffect(() => {
    if (isOnline) void latest.current.flush()
  }, [isOnline])
  useEffect(() => {
    if (state !== 'saved') return
    const shown = setTimeout(() => setState('idle'), SAVED_SHOWN_MS)
    return () => clearTimeout(shown)
  }, [state])

  const leave = (name: string) => {
    if (name !== '') left.current.add(name)
    void flush()
  }
  const host: FieldStatusHost = {
    describe: (name, description) => {
      descriptions.current.set(name, description)
    },
    saved:
      state === 'saved' ? Object.fromEntries(changes.map(({ path, shown }) => [path, texts.savedMark(shown)])) : {},
  }
  return {
    host,
    state,
    isDirty,
    changed: changes.map(formatChange).join('. '),
    retry: () => void flush(),
    onBlur: ({ target }: FocusEvent<HTMLElement>) => leave('name' in target ? String(target.name) : ''),
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      const { target } = event
      if (event.key !== 'Enter' || event.defaultPrevented || !(target instanceof HTMLInputElement)) return
      event.preventDefault()
      leave(target.name)
    },
  }
}
