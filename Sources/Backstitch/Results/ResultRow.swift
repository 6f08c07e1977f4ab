/// A result, with the values that determine its place.
struct ResultRow<Object: ManagedObject> {
    let object: Object
    let section: String
    let sortValues: [Value]
}
