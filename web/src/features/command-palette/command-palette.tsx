// Search and actions in one list. Combobox with a list box (ARIA Authoring Practices): the field keeps the focus.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { classNames } from '@/lib/class-names'
import { useDebounced } from '@/lib/hooks/use-debounced'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { IconButton } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { paletteMessages as texts } from './messages'
import {
  addRecent,
  type PaletteAction,
  type PaletteGroup,
  type PaletteItem,
  readRecent,
  toActionGroup,
  toResultGroups,
} from './palette-items'
import { MAX_SEARCH_LENGTH, MIN_SEARCH_LENGTH, searchQueries } from './queries'

const SEARCH_DEBOUNCE_MS = 180

type CommandPaletteProps = { actions: readonly PaletteAction[]; onClose: () => void }

/** What is found for the text, and what to say about it. */
function usePaletteGroups(text: string, actions: readonly PaletteAction[]) {
  const { orgId, id, role } = useCurrentUser()
  const isOnline = useOnline()
  const settled = useDebounced(text, SEARCH_DEBOUNCE_MS)
  const isSearch = text.length >= MIN_SEARCH_LENGTH
  const options = searchQueries.results(orgId, settled)
  const query = useQuery({
    ...options,
    enabled: isOnline && isSearch && settled.length >= MIN_SEARCH_LENGTH,
    placeholderData: keepPreviousData,
  })
  const owner = `${orgId}:${id}`
  const recent = isSearch ? [] : readRecent(owner)
  const found = isSearch && query.data ? toResultGroups(query.data, role) : []
  const groups: PaletteGroup[] = [
    ...(recent.length > 0 ? [{ title: texts.groups.recent, items: recent }] : []),
    ...found,
    ...toActionGroup(actions, text),
  ]
  const isSettled = settled === text && !query.isFetching
  const count = groups.reduce((sum, { items }) => sum + items.length, 0)
  const describe = () => {
    if (!isOnline) return texts.offline
    if (!isSearch) return ''
    if (query.isError) return texts.failed
    if (!isSettled) return texts.searching
    return count === 0 ? texts.none(text) : texts.count(count)
  }
  return { groups, status: describe(), remember: (item: PaletteItem) => addRecent(owner, item) }
}

export function CommandPalette({ actions, onClose }: CommandPaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const listId = useId()
  const navigate = useNavigate()
  const { role } = useCurrentUser()
  const [typed, setTyped] = useState('')
  const [active, setActive] = useState(0)
  const { groups, status, remember } = usePaletteGroups(typed.trim(), actions)
  const items = groups.flatMap((group) => group.items)
  const current = Math.min(active, items.length - 1)
  const toOptionId = (index: number) => `${listId}-${index}`

  useEffect(() => {
    if (dialog.current && !dialog.current.open) dialog.current.showModal()
    input.current?.focus()
  }, [])

  useEffect(() => {
    document.querySelector(`#${CSS.escape(`${listId}-${current}`)}`)?.scrollIntoView?.({ block: 'nearest' })
  }, [listId, current])

  const close = () => {
    dialog.current?.close()
    onClose()
  }
  const choose = (item: PaletteItem | undefined) => {
    if (!item) return
    close()
    if ('run' in item) {
      item.run()
      return
    }
    remember(item)
    void navigate(item.path)
  }
  const handleKey = (event: KeyboardEvent) => {
    const last = items.length - 1
    const next = { ArrowDown: current >= last ? 0 : current + 1, ArrowUp: current <= 0 ? last : current - 1 }[event.key]
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) choose(items[current])
    else if (next !== undefined && last >= 0) setActive(next)
    else return
    event.preventDefault()
  }
  const label = role === 'crew' ? texts.crewLabel : texts.label
  return (
    // Escape closes it by itself; the click is on the backdrop.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      aria-label={texts.title}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) close()
      }}
      className="glass-sheet m-0 mx-auto h-dvh max-h-none w-full max-w-2xl text-base-content backdrop:bg-black/60 sm:mt-16 sm:h-auto sm:max-h-[75dvh] sm:rounded-box"
    >
      <div className="flex h-full flex-col gap-2 p-3 pt-[calc(.75rem+var(--sai-top))]">
        <div className="flex items-center gap-1">
          <div className="relative flex-1">
            <Icon name="search" className="pointer-events-none absolute top-3.5 left-3 z-10 text-muted" />
            <input
              ref={input}
              type="text"
              role="combobox"
              aria-label={label}
              aria-expanded={items.length > 0}
              aria-controls={listId}
              aria-autocomplete="list"
              aria-activedescendant={items.length > 0 ? toOptionId(current) : undefined}
              placeholder={role === 'crew' ? texts.crewPlaceholder : texts.placeholder}
              enterKeyHint="go"
              autoComplete="off"
              autoCorrect="off"
              spellCheck={false}
              maxLength={MAX_SEARCH_LENGTH}
              className="input pl-10"
              value={typed}
              onChange={(event) => {
                setTyped(event.target.value)
                setActive(0)
              }}
              onKeyDown={handleKey}
            />
          </div>
          <IconButton label={t('Close')} icon="close" onClick={close} />
        </div>
        <p role="status" className="min-h-6 px-1 text-note text-muted">
          {status}
        </p>
        <PaletteList
          id={listId}
          groups={groups}
          current={current}
          toOptionId={toOptionId}
          onPoint={setActive}
          onChoose={choose}
        />
      </div>
    </dialog>
  )
}

type PaletteListProps = {
  id: string
  groups: readonly PaletteGroup[]
  current: number
  toOptionId: (index: number) => string
  onPoint: (index: number) => void
  onChoose: (item: PaletteItem) => void
}

function PaletteList({ id, groups, current, toOptionId, onPoint, onChoose }: PaletteListProps) {
  const offsets = groups.map((_, at) => groups.slice(0, at).reduce((sum, { items }) => sum + items.length, 0))
  return (
    <div id={id} role="listbox" aria-label={texts.results} className="min-h-0 flex-1 overflow-y-auto">
      {groups.map(({ title, items }, at) => (
        <div key={title} role="group" aria-label={title} className="pb-2">
          <p aria-hidden="true" className="px-2 pt-1 pb-1 text-caption font-semibold text-muted">
            {title}
          </p>
          {items.map((item, offset) => {
            const index = (offsets[at] ?? 0) + offset
            return (
              // The keys are those of the field, which keeps the focus.
              // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
              <div
                key={item.id}
                id={toOptionId(index)}
                role="option"
                aria-selected={index === current}
                className={classNames(
                  'flex min-h-12 cursor-pointer items-center gap-3 rounded-field px-2 py-1.5',
                  index === current && 'bg-primary/12',
                )}
                onPointerMove={() => onPoint(index)}
                onClick={() => onChoose(item)}
              >
                <Icon name={item.icon} className="text-primary" />
                <span className="min-w-0">
                  <span className="block font-semibold wrap-anywhere">{item.title}</span>
                  {item.subtitle !== '' && (
                    <span className="block text-note text-muted wrap-anywhere">{item.subtitle}</span>
                  )}
                </span>
              </div>
            )
          })}
        </div>
      ))}
    </div>
  )
}
