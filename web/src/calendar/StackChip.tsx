import { Popover } from '@mantine/core';
import { ChevronDown, X } from 'lucide-react';
import { createContext, useContext, useId } from 'react';
import { number } from '../text/numbers.js';
import { clock, dateAndTime } from '../text/time.js';
import { IconButton } from '../ui/IconButton.js';
import { Chip } from './Chip.js';
import classes from './Chip.module.css';
import { chipStateOf, shortLabel } from './chip-state.js';
import type { Item } from './items.js';
import { isTrouble, type Stack } from './stacks.js';
import '../ui/overlays.css';

/** The stack whose list is open. Kept outside of the grid, which draws its chips anew when a post changes. */
export const OpenStack = createContext<[id: string | null, open: (id: string | null) => void]>([
  null,
  () => {},
]);

/** Several posts of about the same time: "3 posts, 09:00", or "+3" beside another post. It opens the list of them. */
export function StackChip({
  stack: { id, items, at },
  onMove,
}: {
  stack: Stack;
  /** What the button of a post does; undefined if it cannot have another slot. */
  onMove: (item: Item) => (() => void) | undefined;
}) {
  const [open, setOpen] = useContext(OpenStack);
  const heading = useId();
  const troubled = items.filter(isTrouble);
  const tone = chipStateOf((troubled[0] ?? items[0]).post).tone;
  const close = () => setOpen(null);
  const [from, to] = [clock(at), clock((items.at(-1) ?? items[0]).at)];
  return (
    <div className={classes.place}>
      <Popover
        opened={open === id}
        onDismiss={close}
        trapFocus
        returnFocus
        width={300}
        position="bottom-start"
      >
        <Popover.Target>
          <button
            type="button"
            className={`${classes.chip} ${classes.stack}`}
            data-tone={tone}
            data-posts={id}
            aria-haspopup="dialog"
            title={items.map(({ post }) => post.title).join('\n')}
            onClick={() => setOpen(open === id ? null : id)}
          >
            <span className={classes.count} aria-hidden>
              +{number(items.length)}
              <ChevronDown size={12} />
            </span>
            <span className={classes.many}>
              {number(items.length)} posts, {from}
              {from !== to && <span className="unseen"> – {to}</span>}
            </span>
            <span className={troubled.length > 0 ? classes.label : classes.title} dir="auto">
              {troubled.length > 0 ? troubleText(troubled) : items.map(({ post }) => post.title).join(', ')}
            </span>
          </button>
        </Popover.Target>
        <Popover.Dropdown role="dialog" aria-labelledby={heading} p={0}>
          <div className={classes.listHead}>
            <strong id={heading}>
              {dateAndTime(at)}
              {from !== to && ` – ${to}`}
            </strong>
            <IconButton label="Close" icon={X} onClick={close} />
          </div>
          <ul className={classes.list}>
            {items.map((item) => {
              const move = onMove(item);
              return (
                <li key={item.post.id}>
                  <Chip
                    item={item}
                    at={new Date(item.at)}
                    onMove={
                      move &&
                      (() => {
                        close();
                        move();
                      })
                    }
                  />
                </li>
              );
            })}
          </ul>
        </Popover.Dropdown>
      </Popover>
    </div>
  );
}

/** "1 will fail", or "2 to check" if they have different troubles. */
function troubleText(troubled: Item[]): string {
  const labels = new Set(troubled.map(({ post }) => shortLabel(chipStateOf(post).label).toLowerCase()));
  const [label] = labels;
  if (labels.size === 1 && label) return `${number(troubled.length)} ${label}`;
  return `${number(troubled.length)} to check`;
}
