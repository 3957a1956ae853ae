"""Approvals, rejections, waivers and overrides of an activity, and its witnesses."""
