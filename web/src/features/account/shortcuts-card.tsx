// Switch for shortcuts of one key, for people who press keys by accident or speak them (WCAG 2.1.4).
import { setShortcutsOn, useShortcutsOn } from '@/lib/shortcuts/shortcut-setting'
import { Card } from '@/ui/card'
import { Toggle } from '@/ui/toggle'
import { accountMessages as texts } from './messages'

export function ShortcutsCard() {
  const isOn = useShortcutsOn()
  return (
    <Card title={texts.shortcuts.title} icon="gear">
      <Toggle label={texts.shortcuts.label} hint={texts.shortcuts.hint} checked={isOn} onChange={setShortcutsOn} />
    </Card>
  )
}
