/// The steps of a move on the server.
enum MoveStep: Hashable, Sendable {
    /// Both operations in one request.
    case whole
    /// The record in the target zone is made, or made anew.
    case copy
    /// The record in the former zone is deleted.
    case leave
}
