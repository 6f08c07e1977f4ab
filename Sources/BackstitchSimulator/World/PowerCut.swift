import Backstitch
import BackstitchSync

/// A power cut of a device, and the commits that it has taken.
struct PowerCut {
    /// The processes that it has ended, with those that had ended before.
    let devices: Set<String>
    /// The last commit that is left.
    let kept: Int

    /// Whether it has taken what a process had committed.
    func takes(_ commit: Int, of device: String) -> Bool { commit > kept && devices.contains(device) }
}
