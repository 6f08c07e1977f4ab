import Backstitch
import BackstitchSupport
import CloudWire

/// An encrypted asset: the name and length of its plaintext, and the key for its bytes only. A new key of the store
/// encrypts this description anew; the bytes stay unchanged.
struct SealedAsset {
    let reference: AssetReference
    let key: AssetContentKey
}
