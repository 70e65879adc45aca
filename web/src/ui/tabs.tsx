// Tabs with arrow keys, scrolling sideways on phones.
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { classNames } from '@/lib/class-names'
import { Icon, type IconName } from './icon'

export type Tab<Name extends string> = { name: Name; label: string; icon?: IconName }

type TabListProps<Name extends string> = {
  label: string
  /** Id prefix. */
  id: string
  tabs: readonly Tab<Name>[]
  current: Name
  onChange: (name: Name) => void
  small?: boolean
}

const ARROW_STEPS: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
}

export function TabList<Name extends string>({
  label,
  id,
  tabs,
  current,
  onChange,
  small = false,
}: TabListProps<Name>) {
  const list = useRef<HTMLDivElement>(null)
  const at = tabs.findIndex(({ name }) => name === current)

  // Scrolls the chosen tab into view within its row only.
  useEffect(() => {
    const row = list.current
    const tab = row?.children[at]
    if (row && tab instanceof HTMLElement) row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2
  }, [at])

  const step = (event: KeyboardEvent) => {
    const next = ARROW_STEPS[event.key]?.(at, tabs.length)
    const tab = next === undefined ? undefined : tabs[next]
    if (next === undefined || !tab) return
    event.preventDefault()
    onChange(tab.name)
    const button = list.current?.children[next]
    if (button instanceof HTMLElement) button.focus()
  }

  return (
    <div
      ref={list}
      role="tablist"
      aria-label={label}
      className={classNames(
        'relative flex gap-1 overflow-x-auto [scrollbar-width:none]',
        small
          ? 'w-fit rounded-field border border-primary/30 p-1'
          : '-mx-4 border-b border-primary/30 px-4 sm:mx-0 sm:px-0',
      )}
    >
      {tabs.map(({ name, label: text, icon }) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`${id}-tab-${name}`}
          aria-controls={`${id}-panel-${name}`}
          aria-selected={name === current}
          tabIndex={name === current ? 0 : -1}
          onClick={() => onChange(name)}
          onKeyDown={step}
          className={classNames(
            small ? SMALL_TAB : LARGE_TAB,
            name === current ? (small ? SMALL_TAB_ACTIVE : LARGE_TAB_ACTIVE) : 'text-muted hover:text-base-content',
            !small && name !== current && 'border-transparent',
          )}
        >
          {icon && <Icon name={icon} />}
          {text}
        </button>
      ))}
    </div>
  )
}

const LARGE_TAB =
  'flex min-h-12 shrink-0 cursor-pointer items-center gap-2 border-b-2 px-3 font-semibold whitespace-nowrap focus-visible:-outline-offset-2'
const LARGE_TAB_ACTIVE = 'border-primary text-primary'
const SMALL_TAB = 'min-h-11 min-w-20 cursor-pointer rounded-field px-4 text-note font-semibold whitespace-nowrap'
const SMALL_TAB_ACTIVE = 'bg-primary/12 text-primary'

type TabPanelProps = { id: string; name: string; hidden?: boolean; children: ReactNode; className?: string }

export function TabPanel({ id, name, hidden, children, className }: TabPanelProps) {
  return (
    <div
      role="tabpanel"
      id={`${id}-panel-${name}`}
      aria-labelledby={`${id}-tab-${name}`}
      hidden={hidden}
      className={className}
    >
      {children}
    </div>
  )
}
