/// Where the bytes of an attribute with external storage are.
public enum AssetState: Sendable, Hashable {
    /// Nowhere: the attribute is nil.
    case absent
    /// On the server only; so many bytes.
    case remote(size: Int64)
    /// On their way here; the part that has come, from 0 to 1.
    case downloading(fraction: Double)
    /// Here.
    case local(size: Int64)
    /// Here, and on their way to the server; the part that the server has, from 0 to 1. It stays 0 for bytes that
    /// go as a whole.
    case uploading(size: Int64, fraction: Double)
}
