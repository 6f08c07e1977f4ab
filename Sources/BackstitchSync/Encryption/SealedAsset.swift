import Backstitch
import BackstitchSupport
import CloudWire

/// An encrypted asset: the name and the length of its plaintext, and the key of its bytes alone. A new key of the store
/// encrypts this anew, and the bytes stay.
struct SealedAsset {
    let reference: AssetReference
    let key: AssetContentKey
}
