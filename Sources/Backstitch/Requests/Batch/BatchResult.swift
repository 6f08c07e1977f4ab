/// The result of a batch request.
public struct BatchResult: Sendable, Hashable {
    /// The content that was asked for.
    public let type: BatchResultType
    /// How many objects were inserted, updated or deleted; those that cascade rules took along count as well.
    public let count: Int
    /// The identities of these objects when ``type`` is ``BatchResultType/objectIDs``; otherwise empty.
    public let objectIDs: [ObjectID]

    init(_ type: BatchResultType, _ objectIDs: [ObjectID]) {
        self.type = type
        count = objectIDs.count
        self.objectIDs = type == .objectIDs ? objectIDs : []
    }
}
