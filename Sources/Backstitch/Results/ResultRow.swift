/// A result with what its place goes by.
struct ResultRow<Object: ManagedObject> {
    let object: Object
    let section: String
    let sortValues: [Value]
}
