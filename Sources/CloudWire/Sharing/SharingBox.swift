/// Keeps the part about sharing out of line, because few records have one, and records are copied often.
package final class SharingBox: Sendable, Hashable {
    package let share: WireShare

    package init(_ share: WireShare) { self.share = share }

    package static func == (left: SharingBox, right: SharingBox) -> Bool { left.share == right.share }

    package func hash(into hasher: inout Hasher) { hasher.combine(share) }
}
