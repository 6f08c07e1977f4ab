import Backstitch
import BackstitchSync

/// A power cut of a device, and the commits that it has taken.
struct PowerCut {
    /// The devices on the disk, whether their processes lived or not.
    let devices: Set<String>
    /// The last commit that is left.
    let kept: Int

    /// Whether it has taken a device's commit.
    func takes(_ commit: Int, of device: String) -> Bool { commit > kept && devices.contains(device) }
}
