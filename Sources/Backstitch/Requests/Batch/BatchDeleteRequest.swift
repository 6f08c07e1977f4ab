/// Deletes many objects directly in the store, without loading them.
///
/// ```swift
/// try context.execute(BatchDeleteRequest(FetchRequest<Note>(where: "created < %@", lastYear)))
/// ```
/// The request is one transaction. The store applies the delete rules. Nullify and cascade change the objects at the
/// other end. A deny rule refuses the whole request if an object at the other end would stay. Objects are not
/// validated, and none of their methods is called.
public struct BatchDeleteRequest: Sendable {
    let resolve: @Sendable (ManagedObjectContext) throws -> StoreFetchRequest
    /// The content of the result.
    public var resultType: BatchResultType

    /// Deletes the objects that a fetch would find, with its limit and offset. Unsaved changes do not count.
    public init<Object: ManagedObject>(_ request: FetchRequest<Object>, resultType: BatchResultType = .status) {
        self.resultType = resultType
        resolve = { try $0.resolve(request) }
    }

    /// Deletes the objects of one entity with these identities; missing objects are no error.
    public init(objectIDs: [ObjectID], resultType: BatchResultType = .status) {
        self.resultType = resultType
        resolve = { context in
            let names = Set(objectIDs.map(\.entityName)).sorted()
            guard names.count == 1, let name = names.first else {
                throw BackstitchError(
                    .invalidRequest,
                    names.isEmpty
                        ? "a batch delete has no object ids; give at least one"
                        : "a batch delete has ids of \(names.joined(separator: " and ")); give ids of one entity only")
            }
            let predicate = FetchPredicate.comparison(
                FetchComparison(.keyPath(FetchKeyPath(names: [])), .in, .values(objectIDs.map(Value.object))))
            return try context.resolve(FetchRequest<ManagedObject>(entityName: name, predicate: predicate))
        }
    }
}
