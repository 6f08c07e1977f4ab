/// The state of a store's file, without the log beside it.
struct MarkedFile {
    /// The latest mark; nil for none.
    let link: LogLink?
    /// The number of the last history transaction; the highest number if it is not known.
    let transaction: Int64
}
