// The time of the list. Only what shows an age renders again when it moves on.
import { createContext, useContext } from 'react'

export const WorkClock = createContext(0)

export const useWorkClock = () => useContext(WorkClock)
