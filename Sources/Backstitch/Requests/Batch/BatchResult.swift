/// The result of a batch request.
public struct BatchResult: Sendable, Hashable {
    /// The requested kind of content.
    public let type: BatchResultType
    /// The number of inserted, updated or deleted objects, including those deleted by cascade rules.
    public let count: Int
    /// The identities of these objects if ``type`` is ``BatchResultType/objectIDs``; otherwise empty.
    public let objectIDs: [ObjectID]

    init(_ type: BatchResultType, _ objectIDs: [ObjectID]) {
        self.type = type
        count = objectIDs.count
        self.objectIDs = type == .objectIDs ? objectIDs : []
    }
}
