/// Objects that take the same step from one zone to another.
struct MoveBatch: Sendable {
    let step: MoveStep
    let items: [PushItem]
    /// The change token of the target zone.
    let token: String?
}
