import Backstitch

/// Objects that take the same step from one zone to another.
struct MoveBatch: Sendable {
    let step: MoveStep
    let items: [PushItem]
    /// The objects of the items, and those that cannot be sent now.
    let chosen: Set<ObjectKey>
    /// Changes whose objects cannot move as they are.
    let blocked: [BlockedChange]
    /// The change token of the target zone.
    let token: String?
}
